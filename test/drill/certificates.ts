import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { account, runAsServer } from './debian-servers.ts'

/** Whether certificates can be made here. */
export const hasOpenssl = () => spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0

/** Makes an authority, and the folder `tls` in which certificates lie. Returns that folder. */
export function makeAuthority(folder: string): string {
  const own = account()
  if (own !== null) chownSync(folder, own.uid, own.gid)
  const tls = join(folder, 'tls')
  mkdirSync(tls)
  if (own !== null) chownSync(tls, own.uid, own.gid)
  const made = ['-keyout', join(tls, 'ca.key'), '-out', join(tls, 'ca.crt')]
  runAsServer('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=Drill', ...made])
  return tls
}

/** Makes `NAME.crt` and `NAME.key` for a server at this address. */
export function makeCertificate(tls: string, { name, address }: { name: string; address: string }): void {
  const fileOf = (ending: string) => join(tls, `${name}.${ending}`)
  writeFileSync(fileOf('names'), `subjectAltName=IP:${address}`)
  chmodSync(fileOf('names'), 0o644)
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', fileOf('key')]
  runAsServer('openssl', ['req', ...key, '-subj', `/CN=${name}`, '-out', fileOf('csr')])
  const authority = ['-CA', join(tls, 'ca.crt'), '-CAkey', join(tls, 'ca.key'), '-CAcreateserial']
  const named = ['-days', '2', '-extfile', fileOf('names'), '-out', fileOf('crt')]
  runAsServer('openssl', ['x509', '-req', '-in', fileOf('csr'), ...authority, ...named])
}

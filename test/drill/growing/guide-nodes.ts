import { appendFileSync, chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenssl, makeCertificate } from '../certificates.ts'
import { account, DEBIAN, findServerPrograms, runAsServer } from '../debian-servers.ts'
import { readBlocks, withNames } from './guide.ts'

/** A node of the cluster: a server of PostgreSQL at an address of its own. */
export type GuideNode = {
  address: string
  /** Statements of the superuser, on the machine itself. */
  ask(...statements: string[]): string
  end(): void
}
type NodesOptions = { folder: string; port: number }

/** The addresses that stand for the names of the guide: each name leads elsewhere, so that a certificate for another one is found. */
export const ADDRESSES = { c: '127.43.7.11', w1: '127.43.7.12', w2: '127.43.7.13', w3: '127.43.7.14' } as const
export type NodeName = keyof typeof ADDRESSES
const PASSWORD = 'drill-pass.word'

/** Why the guide cannot be followed here, as a sentence; null where it can. */
export function findHindrance(): string | null {
  if (process.platform !== 'linux') return 'only Linux has more than one address of its own without settings'
  const bin = findServerPrograms()
  if (bin === null) return `no PostgreSQL server is installed below ${DEBIAN}`
  if (!existsSync(join(bin, '..', 'lib', 'citus.so'))) return `Citus is not installed in ${join(bin, '..', 'lib')}`
  if (!hasOpenssl()) return 'openssl is not installed'
  return null
}

/** What is here in the place of what the guide says. */
export const namesHere = ({ folder, port }: NodesOptions) => ({
  ...Object.fromEntries(Object.entries(ADDRESSES).map(([name, address]) => [`${name}.db.internal`, address])),
  ...{ '5432': `${port}` },
  ...Object.fromEntries(
    Object.entries(ADDRESSES).map(([n, at]) => [`${n}.db.internal/gateway`, `${at}:${port}/gateway`]),
  ),
  ...{ '10.0.0.0/24': '127.0.0.0/8', "'...'": `'${PASSWORD}'`, ':...@': `:${PASSWORD}@`, ':...': `:${PASSWORD}` },
  ...{ '/etc/postgresql/tls': join(folder, 'tls'), '/etc/gateway/ca.crt': join(folder, 'tls', 'ca.crt') },
})

/** Steps 1, 2, 3 and 5 of "Make a cluster". */
export function makeNode(name: NodeName, options: NodesOptions): GuideNode {
  const { folder, port } = options
  const bin = findServerPrograms() ?? ''
  const [address, data] = [ADDRESSES[name], join(folder, name)]
  // The files of this node have its name: all of them are on one machine.
  const names = {
    ...namesHere(options),
    'node.crt': `${name}.crt`,
    'node.key': `${name}.key`,
    'w1.db.internal': address,
  }
  const [conf = '', hba = '', , passwords = ''] = readBlocks('Make a cluster', { names, count: 5 })
  makeCertificate(join(folder, 'tls'), { name, address })
  runAsServer(join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '-E',
    'UTF8',
  ])
  appendFileSync(join(data, 'postgresql.conf'), conf.replace("'*'", `'${address}'`))
  appendFileSync(join(data, 'postgresql.conf'), `port = ${port}\nunix_socket_directories = '${data}'\n`)
  const lines = readFileSync(join(data, 'pg_hba.conf'), 'utf8').split('\n')
  writeFileSync(join(data, 'pg_hba.conf'), `${lines.filter((line) => !line.startsWith('host')).join('\n')}\n${hba}`)
  const passFile = join(data, '.pgpass')
  writeFileSync(passFile, passwords)
  const own = account()
  if (own !== null) chownSync(passFile, own.uid, own.gid)
  chmodSync(passFile, 0o600)
  const server = (...words: string[]) =>
    runAsServer(join(bin, 'pg_ctl'), ['-D', data, '-w', '-s', ...words], { PGPASSFILE: passFile })
  server('-l', join(data, 'log'), 'start')
  const askIn = (database: string, statements: readonly string[]) =>
    runAsServer(join(bin, 'psql'), [
      ...['-X', '-q', '-At', '-v', 'ON_ERROR_STOP=1', '-h', data, '-p', `${port}`, '-U', 'postgres', '-d', database],
      ...statements.flatMap((text) => ['-c', text]),
    ])
  askIn('postgres', ['create database gateway', withNames(`alter role postgres password '...'`, names)])
  askIn('gateway', ['create extension citus'])
  return {
    address,
    ask: (...statements) => askIn('gateway', statements),
    end: () => void server('-m', 'immediate', 'stop'),
  }
}

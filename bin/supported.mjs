// Ends with one sentence where the program cannot run: on native Windows, on an old Node, and when an artefact is for another machine.
import { existsSync, readFileSync } from 'node:fs'

const OLDEST = [20, 19]
const { os = [], cpu = [] } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const refusal = findRefusal()
if (refusal !== null) {
  console.error(refusal)
  process.exit(1)
}

function findRefusal() {
  const { platform, arch, version } = process
  if (platform === 'win32')
    return 'The gateway does not run on Windows itself: run it in WSL2 or in the container (docs/installing.md).'
  const [major, minor] = version.slice(1).split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    return `The gateway needs Node ${OLDEST.join('.')} or newer, and this is Node ${version.slice(1)}: install Node 24.`
  // An artefact names what its packages were compiled for; a checkout installs its own.
  if ((os.length > 0 && !os.includes(platform)) || (cpu.length > 0 && !cpu.includes(arch)))
    return `This artefact is for ${os[0]}-${cpu[0]}, and this machine is ${platform}-${arch}: take the one for ${platform}-${arch}.`
  if (os.length > 0 && platform === 'linux' && existsSync('/etc/alpine-release'))
    return 'The gateway needs glibc, which Alpine Linux has not: run it on Debian or another such system, or in the container.'
  return null
}

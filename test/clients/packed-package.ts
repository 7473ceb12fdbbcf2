import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opened } from '../helpers/service/opened.ts'
import { inFolder, run } from './made-client.ts'

// Where npm runs the tests it tells each npm below it in which project to install.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

/** The file that `npm pack` makes of this package. It is built for that. */
export const openedPackage = (source: string): { file: string; close(): Promise<void> } =>
  opened(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-packed-'))
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source, env })
    const [file = ''] = readdirSync(folder)
    return { file: join(folder, file), close: async () => rmSync(folder, { recursive: true }) }
  })

/** Gives `work` an empty project in which this package was installed. */
export const inProjectWith = (file: string, work: (folder: string) => Promise<void>): Promise<void> =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', file], { cwd: folder, env })
    await work(folder)
  })

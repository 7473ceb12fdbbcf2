import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { listStatements, type Statement } from '../../../src/platform/db/statement.ts'

// From dist/test/helpers/database to dist/src.
const PRODUCT = fileURLToPath(new URL('../../../src', import.meta.url))
// To import them is to run them.
const PROGRAMS = [
  'main.js',
  join('platform', 'processes', 'picture-process.js'),
  join('platform', 'spreadsheets', 'workbook-process.js'),
]
// Tests of other files may have run in this process.
const OF_TESTS = /^(test|faults): /

/** Loads every file of the product, so that all its statements are registered, and returns them. */
export async function loadProductStatements(): Promise<Statement[]> {
  const files = readdirSync(PRODUCT, { recursive: true, encoding: 'utf8' })
  const modules = files.filter((file) => file.endsWith('.js') && !file.endsWith('.test.js') && !PROGRAMS.includes(file))
  for (const file of modules) await import(pathToFileURL(join(PRODUCT, file)).href)
  return listStatements().filter(({ name }) => !OF_TESTS.test(name))
}

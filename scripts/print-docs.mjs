// Prints docs/openapi.json, docs/schema.md, the tables of moves in docs/states.md and the table of actions in docs/operating.md
// from the code; the schema from a throw-away embedded server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '../dist/src/platform/db/migrate.js'
import { joinEmbeddedPostgres } from '../dist/src/platform/embedded-postgres.js'
import { ENDPOINTS } from '../dist/src/program/api.js'
import { openapiText, operatingText, schemaText, statesText } from '../dist/src/web/docs/printed.js'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const states = join(docs, 'states.md')
writeFileSync(states, statesText(readFileSync(states, 'utf8')))
const operating = join(docs, 'operating.md')
writeFileSync(operating, operatingText(readFileSync(operating, 'utf8')))
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-docs-'))
const server = await joinEmbeddedPostgres({ dataDir, say: () => {} })
try {
  await migrate(server.url('postgres'))
  writeFileSync(join(docs, 'schema.md'), await schemaText(server.url('postgres')))
  writeFileSync(join(docs, 'openapi.json'), openapiText(ENDPOINTS))
} finally {
  await server.leave()
  rmSync(dataDir, { recursive: true, force: true })
}

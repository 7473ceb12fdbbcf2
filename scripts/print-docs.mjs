// Prints docs/openapi.json and docs/schema.sql from the code: the schema against a throw-away embedded server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ENDPOINTS } from '../dist/src/api.js'
import { openapiText, schemaText } from '../dist/src/docs/printed.js'
import { migrate } from '../dist/src/platform/db/migrate.js'
import { joinEmbeddedPostgres } from '../dist/src/platform/embedded-postgres.js'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-docs-'))
const server = await joinEmbeddedPostgres({ dataDir, say: () => {} })
try {
  await migrate(server.url('postgres'))
  writeFileSync(join(docs, 'schema.sql'), await schemaText(server.url('postgres')))
  writeFileSync(join(docs, 'openapi.json'), openapiText(ENDPOINTS))
} finally {
  await server.leave()
  rmSync(dataDir, { recursive: true, force: true })
}

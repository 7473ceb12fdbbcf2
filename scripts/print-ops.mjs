// Prints ops/grafana/*.json from the table of metrics. The rules in ops/prometheus are written by hand.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dashboardFiles } from '../dist/src/web/docs/dashboards.js'

const folder = fileURLToPath(new URL('../ops/grafana/', import.meta.url))
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(dashboardFiles())) writeFileSync(join(folder, name), text)

// In the process of each test file: notes how long it lived, for the report of the slowest.
import { appendFileSync } from 'node:fs'

const file = process.argv[1]
if (process.env.TEST_TIMES && file?.endsWith('.test.js'))
  process.on('exit', () => appendFileSync(process.env.TEST_TIMES, `${process.uptime().toFixed(1)} ${file}\n`))

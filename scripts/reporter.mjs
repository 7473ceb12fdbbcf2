// The runner's own report, with the slowest files named before its closing lines.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { tap } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const NAMED = 10
const CLOSING = /^tests \d+$/

// biome-ignore lint/style/noDefaultExport: the runner wants its reporter so
export default async function* report(source) {
  yield* tap(withSlowFiles(source))
}

async function* withSlowFiles(source) {
  for await (const event of source) {
    if (event.type === 'test:diagnostic' && event.data.nesting === 0 && CLOSING.test(event.data.message))
      yield* slowest().map((message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } }))
    yield event
  }
}

function slowest() {
  const lines = readFileSync(process.env.TEST_TIMES, 'utf8').trimEnd().split('\n')
  const took = lines.map((line) => ({ s: Number(line.split(' ', 1)[0]), file: line.replace(/^\S+ /, '') }))
  const named = took.sort((a, b) => b.s - a.s).slice(0, NAMED)
  return [
    'slowest files:',
    ...named.map(({ s, file }) => `${s.toFixed(1).padStart(6)} s  ${relative(root, file)}`),
  ]
}

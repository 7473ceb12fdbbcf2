// One report of several runs of node's runner: each file as a whole, the slowest files, what failed, and the sums of the
// closing lines. What failed is said again at the end, because often only the end of a log is kept.
import { PassThrough } from 'node:stream'
import { tap } from 'node:test/reporters'

const SLOWEST = 10
const SUMS = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms']
const CLOSING = new RegExp(`^(${SUMS.join('|')}) ([\\d.]+)$`)

/** The lines of the report. Of `files`, a suite each, one that no process has run to its end is a failure. */
export const report = (runs, files) => tap(asOneRun(runs, new Set(files)))

async function* asOneRun(runs, missing) {
  const startedAt = performance.now()
  const sums = new Map(SUMS.map((name) => [name, 0]))
  const took = []
  const failed = []
  let number = 0
  for await (const block of blocksOf(runs)) {
    for (const event of withoutClosing(block, sums)) yield numbered(event, number + 1)
    const { type, data } = block.at(-1)
    if (!endsFile(block.at(-1))) continue
    number += 1
    failed.push(...failuresOf(block))
    if (missing.delete(data.name)) took.push({ seconds: data.details.duration_ms / 1000, name: data.name })
    if (type === 'test:fail' && !block.some(isFailedTest)) sums.set('fail', sums.get('fail') + 1)
  }
  for (const name of missing) {
    number += 1
    sums.set('fail', sums.get('fail') + 1)
    const event = notRun(name, number)
    failed.push(...failuresOf([event]))
    yield event
  }
  yield { type: 'test:plan', data: { nesting: 0, count: number } }
  // The runs overlap or follow each other: only the whole has a duration.
  sums.set('duration_ms', Math.round(performance.now() - startedAt))
  const closing = [...slowest(took), ...failed, ...[...sums].map(([name, value]) => `${name} ${value}`)]
  yield* closing.map((message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } }))
}

/** Runs go on side by side: what one says of a file stays together, up to the line that says how the file ended. */
function blocksOf(runs) {
  const blocks = new PassThrough({ objectMode: true })
  let open = runs.length
  for (const run of runs) {
    let block = []
    const flush = () => {
      if (block.length > 0) blocks.write(block)
      block = []
    }
    run.on('data', (event) => {
      block.push(event)
      if (endsFile(event)) flush()
    })
    run.on('end', () => {
      flush()
      open -= 1
      if (open === 0) blocks.end()
    })
  }
  return blocks
}

const endsFile = ({ type, data }) => (type === 'test:pass' || type === 'test:fail') && data.nesting === 0
const isFailedTest = ({ type, data }) => type === 'test:fail' && data.nesting > 0

/** Each run closes with a plan and its sums; the report says them once. */
function withoutClosing(block, sums) {
  return block.filter(({ type, data }) => {
    if (type === 'test:plan') return data.nesting > 0
    const [, name, value] =
      (type === 'test:diagnostic' && data.nesting === 0 && CLOSING.exec(data.message)) || []
    if (name === undefined) return true
    sums.set(name, sums.get(name) + Number(value))
    return false
  })
}

const numbered = (event, testNumber) =>
  endsFile(event) ? { ...event, data: { ...event.data, testNumber } } : event

/** A line for each failed test of a file, without the suites that failed only because a test in them did. */
function failuresOf(block) {
  const file = block.at(-1).data.name
  const failed = block.filter(({ type, data }) => {
    return type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed'
  })
  return failed.map(({ data }) => {
    const { error } = data.details
    const [why] = String(error?.cause?.message ?? error?.message ?? error).split('\n')
    return `failed: ${file}${data.nesting > 0 ? `: ${data.name}` : ''}: ${why}`
  })
}

function notRun(name, testNumber) {
  const error = new Error('its process ended before the file had')
  process.exitCode = 1
  return { type: 'test:fail', data: { name, nesting: 0, testNumber, details: { duration_ms: 0, error } } }
}

function slowest(took) {
  const named = took.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  return [
    'slowest files:',
    ...named.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`),
  ]
}

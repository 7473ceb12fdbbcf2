// One report of several runs of node's runner: each file as a whole, the slowest files, what failed, what is unsteady, and the sums of
// the closing lines. What failed is said again at the end, because often only the end of a log is kept.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { tap } from 'node:test/reporters'

const SLOWEST = 10
const SUMS = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms']
const CLOSING = new RegExp(`^(${SUMS.join('|')}) ([\\d.]+)$`)
// Runs that follow each other name what was unsteady in any of them: the last one has the last lines.
const UNSTEADY_LIST = process.env.TEST_UNSTEADY_LIST

/**
 * The lines of the report. Of `files`, a suite each, one that no process has run to its end is a failure. `again`, where it is
 * given, runs one file once more by itself: one that passes then is named as unsteady, and is no failure. `tellsSkipped`: each test that
 * was skipped is named with its reason.
 */
export const report = (runs, files, { again = null, tellsSkipped = false } = {}) =>
  tap(asOneRun(runs, files, { again, tellsSkipped }))

async function* asOneRun(runs, files, { again, tellsSkipped }) {
  const sums = new Map(SUMS.map((name) => [name, 0]))
  const told = {
    files: new Set(files),
    number: 0,
    sums,
    took: [],
    failed: new Map(),
    unsteady: [],
    late: [],
    skipped: tellsSkipped ? [] : null,
  }
  const startedAt = performance.now()
  const missing = new Set(files)
  for await (const block of blocksOf(runs)) yield* eventsOf(block, { told, missing })
  for (const name of missing) yield* eventsOf([notRun(name)], { told, missing })
  if (again !== null) yield* secondTries(told, again)
  yield { type: 'test:plan', data: { nesting: 0, count: told.number } }
  // The runs overlap or follow each other: only the whole has a duration.
  told.sums.set('duration_ms', Math.round(performance.now() - startedAt))
  if (told.failed.size > 0) process.exitCode = 1
  yield* closingOf(told).map((message) => ({ type: 'test:diagnostic', data: { nesting: 0, message } }))
}

/** What the runner said of one file, with the number that it has in the whole. */
function* eventsOf(block, { told, missing }) {
  const { sums } = told
  for (const event of withoutClosing(block, sums)) yield numbered(event, told.number + 1)
  const { data } = block.at(-1)
  if (!endsFile(block.at(-1))) return
  told.number += 1
  if (typeof block.at(-1).data.skip === 'string') told.late.push(`not run: ${data.name}: ${block.at(-1).data.skip}`)
  told.skipped?.push(...skippedOf(block))
  if (missing.delete(data.name) && data.details.duration_ms > 0)
    told.took.push({ seconds: data.details.duration_ms / 1000, name: data.name })
  if (block.at(-1).type !== 'test:fail') return
  told.failed.set(data.name, block)
  // One that no test of it has failed: while it was loaded, or because its process ended.
  if (!block.some(isFailedTest)) sums.set('fail', sums.get('fail') + 1)
}

/** Runs each file that has failed once more by itself. If it passes, its first try no longer counts. */
async function* secondTries(told, again) {
  const first = [...told.failed].filter(([name]) => told.files.has(name))
  for (const [name, block] of first) {
    const second = { ...told, failed: new Map() }
    const missing = new Set([name])
    for await (const events of blocksOf([again(name)])) yield* eventsOf(events, { told: second, missing })
    told.number = second.number
    if (second.failed.size === 0 && missing.size === 0) noLongerFailed(told, name, block)
  }
  // A process that ended before its files had: each of them has run by itself meanwhile.
  const ofRooms = [...told.failed].filter(([name]) => !told.files.has(name))
  if (told.unsteady.length > 0 && ofRooms.length === told.failed.size)
    for (const [name, block] of ofRooms) noLongerFailed(told, name, block)
}

function noLongerFailed(told, name, block) {
  told.failed.delete(name)
  told.unsteady.push(...failuresOf(block).map((line) => line.replace('failed', 'unsteady')))
  for (const [key, count] of countsOf(block)) told.sums.set(key, told.sums.get(key) - count)
}

/** What the first try of a file has added to the sums. */
function countsOf(block) {
  const tests = block.filter((event) => isEnded(event) && event.data.nesting > 0 && event.data.details.type !== 'suite')
  const skipped = tests.filter(({ data }) => data.skip !== undefined).length
  const cancelled = tests.filter(isCancelled).length
  const fail = tests.filter(({ type }) => type === 'test:fail').length - cancelled
  return [
    ['tests', tests.length],
    ['skipped', skipped],
    ['cancelled', cancelled],
    ['fail', block.some(isFailedTest) ? fail : 1],
    ['pass', tests.length - fail - cancelled - skipped],
  ]
}

function closingOf({ took, failed, unsteady, late, skipped, sums }) {
  return [
    ...slowest(took),
    ...late,
    ...(skipped ?? []),
    ...[...failed.values()].flatMap(failuresOf),
    ...rememberedUnsteady(unsteady),
    ...[...sums].map(([name, value]) => `${name} ${value}`),
  ]
}

function rememberedUnsteady(lines) {
  if (UNSTEADY_LIST === undefined) return lines
  const before = existsSync(UNSTEADY_LIST) ? readFileSync(UNSTEADY_LIST, 'utf8').split('\n').filter(Boolean) : []
  appendFileSync(UNSTEADY_LIST, lines.map((line) => `${line}\n`).join(''))
  return [...before, ...lines]
}

/** Runs go on side by side: what one says of a file stays together, up to the line that says how the file ended. */
function blocksOf(runs) {
  const blocks = new PassThrough({ objectMode: true })
  let open = runs.length
  if (open === 0) blocks.end()
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

const isEnded = ({ type }) => type === 'test:pass' || type === 'test:fail'
const endsFile = (event) => isEnded(event) && event.data.nesting === 0
// It has not run, because what stands around it had failed.
const isCancelled = ({ type, data }) => type === 'test:fail' && data.details.error?.failureType === 'cancelledByParent'

const isFailedTest = ({ type, data }) => type === 'test:fail' && data.nesting > 0

/** Each run closes with a plan and its sums; the report says them once. */
function withoutClosing(block, sums) {
  return block.filter(({ type, data }) => {
    if (type === 'test:plan') return data.nesting > 0
    const [, name, value] = (type === 'test:diagnostic' && data.nesting === 0 && CLOSING.exec(data.message)) || []
    if (name === undefined) return true
    sums.set(name, sums.get(name) + Number(value))
    return false
  })
}

const numbered = (event, testNumber) => (endsFile(event) ? { ...event, data: { ...event.data, testNumber } } : event)

/** A line for each failed test of a file, without the suites that failed only because a test in them did, and without those that were not run
 * for that reason. */
function failuresOf(block) {
  const file = block.at(-1).data.name
  const failed = block.filter(({ type, data }) => {
    return type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed'
  })
  const causes = failed.filter((event) => !isCancelled(event))
  return (causes.length > 0 ? causes : failed.slice(0, 1)).map(({ data }) => {
    const { error } = data.details
    const why = reasonIn(String(error?.cause?.message ?? error?.message ?? error))
    return `failed: ${file}${data.nesting > 0 ? `: ${data.name}` : ''}: ${why}`
  })
}

/** The first line; of a property that does not hold, also the line that says what was found. */
function reasonIn(message) {
  const [first, ...rest] = message.split('\n')
  const found = rest.find((line) => line.startsWith('Got '))
  return found === undefined ? first : `${first}: ${found}`
}

const skippedOf = (block) =>
  block
    .filter((event) => isEnded(event) && typeof event.data.skip === 'string')
    .map(({ data }) => `left out: ${block.at(-1).data.name}: ${data.name}: ${data.skip}`)

function notRun(name) {
  const error = new Error('its process ended before the file had')
  return { type: 'test:fail', data: { name, nesting: 0, testNumber: 0, details: { duration_ms: 0, error } } }
}

function slowest(took) {
  const named = took.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  return ['slowest files:', ...named.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`)]
}

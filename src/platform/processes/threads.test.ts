import assert from 'node:assert/strict'
import test from 'node:test'
import { openThreadPool, ThreadLost } from './threads.ts'

/** A thread that does what each step tells it, in place of one that draws. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', (step) => {
      if (step === 'hang') for (;;) {}
      if (step === 'exit') process.exit(3)
      if (step === 'throw') throw new Error('drawn wrongly')
      parentPort.postMessage(new Uint8Array([threadId]))
    })`)}`,
)
const open = (answerWithinMs = 60_000) => openThreadPool<string>({ script: SCRIPT, answerWithinMs })
const threadOf = (threads: ReturnType<typeof open>) => threads.use(async (ask) => (await ask('work'))[0])

test('one thread makes one document after the other', async () => {
  const threads = open()
  const first = await threadOf(threads)
  assert.equal(await threadOf(threads), first)
})

test('two documents at once have a thread each', async () => {
  const threads = open()
  const [one, two] = await Promise.all([threadOf(threads), threadOf(threads)])
  assert.notEqual(one, two)
})

for (const [step, says] of [
  ['exit', 'the thread ended'],
  ['throw', 'the thread failed'],
] as const)
  test(`a thread that dies (${step}) costs its own document, and the next one is made by another`, async () => {
    const threads = open()
    const first = await threadOf(threads)
    await assert.rejects(
      threads.use((ask) => ask(step)),
      (error) => error instanceof ThreadLost && error.message === says,
    )
    assert.notEqual(await threadOf(threads), first)
  })

test('a thread that hangs is given up and replaced', async () => {
  const threads = open(100)
  await assert.rejects(
    threads.use((ask) => ask('hang')),
    (error) => error instanceof ThreadLost && /did not answer within 100 ms/.test(error.message),
  )
  const patient = open()
  assert.ok(await threadOf(patient))
})

test('a failure outside the thread goes to the caller, and a half-made document is not continued', async () => {
  const threads = open()
  const first = await threadOf(threads)
  const mistake = new Error('the reader has gone')
  await assert.rejects(
    threads.use(async (ask) => {
      await ask('work')
      throw mistake
    }),
    mistake,
  )
  assert.notEqual(await threadOf(threads), first)
})

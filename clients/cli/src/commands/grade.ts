import { randomBytes } from 'node:crypto'
import { type Grade, gradeReceiver } from '../../../../src/merchants/webhooks/grading/grade-receiver.ts'
import type { Verdict } from '../../../../src/merchants/webhooks/grading/judge.ts'
import type { MessageKit } from '../../../../src/merchants/webhooks/grading/messages.ts'
import type { Call, Command } from '../command.ts'
import { findReceiver, postMessage } from '../forward.ts'
import type { Terminal } from '../terminal.ts'
import { keepSecret } from './listen.ts'

/** The data of the examples of the description, put in by the bundler (scripts/build.mjs). */
declare const EVENT_EXAMPLES: Readonly<Record<string, ReturnType<MessageKit['findSample']>>>

// As real deliveries have it.
const PATIENCE_MS = 5_000
const ID_BYTES = 12

const COLOURS = { right: 'green', advice: 'yellow', wrong: 'red', skipped: 'dim' } as const
const WORDS: Readonly<Record<Verdict, string>> = {
  right: 'right',
  advice: 'could be better',
  wrong: 'WRONG',
  skipped: 'not tried',
}

const grade: Command = {
  words: 'grade',
  args: 'URL',
  summary: 'try your webhook receiver, and see what it does right and wrong',
  details: [
    'Posts some 115 messages about nothing: correctly signed ones, forged, changed, old, late and repeated ones, kinds and fields that do not',
    'exist yet, and a hundred at once. They are signed with the secret that listen prints, or with --secret. No key is needed, and the gateway',
    'hears nothing of it. The exit code is 1 where something is wrong.',
  ].join('\n'),
  options: {
    secret: { value: 'WHSEC', help: 'the secret that your receiver has, instead of that of listen' },
    anywhere: { help: 'allow a receiver that is neither this machine nor its network' },
  },
  run: runGrade,
}

async function runGrade({ terminal, environment, given }: Call): Promise<number> {
  const secret = given.text('secret') ?? keepSecret(environment)
  const receiver = await findReceiver(given.args[0] ?? '', given.has('anywhere'))
  const kit: MessageKit = {
    secrets: [secret],
    alias: null,
    now: () => new Date(),
    newEventId: () => `evt_${randomBytes(ID_BYTES).toString('hex')}`,
    findSample: (event) => EVENT_EXAMPLES[event] ?? {},
  }
  const found = await gradeReceiver(kit, async (message) => {
    const heard = await postMessage(receiver, message, { patienceMs: PATIENCE_MS })
    if (heard.kind === 'answered') return { status: heard.status, error: null, ms: heard.ms }
    return { status: null, error: heard.isLate ? 'timeout' : heard.reason, ms: heard.ms }
  })
  tell(terminal, found)
  return found.some(({ verdict }) => verdict === 'wrong') ? 1 : 0
}

function tell(terminal: Terminal, found: Grade): void {
  const { json, out, note, paint } = terminal
  if (json) {
    out(JSON.stringify({ findings: found }))
    return
  }
  for (const { title, verdict, says } of found) {
    out(`${paint(COLOURS[verdict], WORDS[verdict])}  ${paint('bold', title)}`)
    out(`    ${says}`)
  }
  const count = (wanted: Verdict) => found.filter(({ verdict }) => verdict === wanted).length
  out(`${count('right')} right, ${count('wrong')} wrong, ${count('advice')} could be better`)
  note(
    'Only answers can be seen from here: look into your own books too, each payment must have been counted once or not at all.',
  )
}

export const GRADE_COMMANDS: readonly Command[] = [grade]

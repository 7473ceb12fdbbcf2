import type { EventName, TestEventCreate } from '../../../typescript/src/gateway-client.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../faults.ts'
import { readOwnFile } from '../own-file.ts'
import { openSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'

// More than the service takes, so that it says what is too much.
const MAX_DATA_BYTES = 1024 * 1024

const trigger: Command = {
  words: 'trigger',
  args: 'EVENT',
  summary: 'send a test event, such as charge.succeeded',
  details:
    'It goes to your address and into the stream, with the data of its example or with yours. Needs a full test key.',
  options: { data: { value: 'FILE', help: 'its data, a JSON object; - reads the standard input' } },
  run: async ({ terminal, environment, given }) => {
    const file = given.text('data')
    const data = file === undefined ? {} : { data: await readData(terminal, file) }
    const event = { event: given.args[0] as EventName, ...data } // The service says which there are.
    const sent = await openSession(environment).gateway.test.sendEvent(event)
    if (terminal.json) terminal.out(JSON.stringify(sent))
    else
      terminal.out(`${sent.event}  ${sent.id}  ${sent.webhook_url ?? 'no address is set: it is in the stream alone'}`)
    return 0
  },
}

async function readData(terminal: Terminal, file: string): Promise<NonNullable<TestEventCreate['data']>> {
  const text = file === '-' ? await terminal.readInput() : readOwnFile(file, MAX_DATA_BYTES).toString('utf8')
  try {
    const data = JSON.parse(text)
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data
  } catch {}
  throw new UsageError(`${file === '-' ? 'the standard input' : file} is no JSON object`)
}

export const TRIGGER_COMMANDS: readonly Command[] = [trigger]

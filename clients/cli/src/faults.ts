import { Refusal } from '../../../src/platform/refusal.ts'
import { oneLine } from '../../../src/platform/text/text.ts'
import { GatewayError } from '../../typescript/src/gateway-client.ts'
import type { Terminal } from './terminal.ts'

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}

/** The answer is no, and this is why: exit code 1. */
export class Refused extends Error {}

/** Says what went wrong, in a sentence and never with a stack. Returns the exit code. */
export function reportFault(terminal: Terminal, fault: unknown): number {
  // The client throws a TypeError for what it cannot send.
  const code = fault instanceof UsageError || fault instanceof TypeError ? 2 : 1
  if (terminal.json) terminal.note(JSON.stringify({ error: describe(fault) }))
  else terminal.note(`${terminal.paint('red', 'mmg:')} ${oneLine(sentenceOf(fault))}`)
  return code
}

/** An error of the service says its text, its hint and the id of the request in one sentence. */
function sentenceOf(fault: unknown): string {
  if (fault instanceof Refusal) return fault.hint === null ? fault.message : `${fault.message} - ${fault.hint}`
  return fault instanceof Error ? fault.message : String(fault)
}

function describe(fault: unknown): object {
  const message = sentenceOf(fault)
  if (!(fault instanceof GatewayError)) return { message, code: fault instanceof UsageError ? 'usage' : 'refused' }
  const { code, status, hint, field, requestId, retry } = fault
  return { message, code, status, hint, field, request_id: requestId, retry }
}

import { parentPort } from 'node:worker_threads'
import { assert } from '../../../platform/assert.ts'
import { giveWayToPayments } from '../../../platform/processes/low-priority.ts'
import type { StatementSection } from '../lines.ts'
import type { StatementHead, StatementTotals } from '../shape.ts'
import { openStatementDocument, type StatementDocument } from './pdf-document.ts'

// Drawing a page blocks its thread, so it is done here and not in the thread that answers requests.

/** One step of a document; `lines` are JSON objects separated by commas. The reply is the bytes made since the last step. */
export type PdfStep =
  | { step: 'open'; head: StatementHead; totals: StatementTotals }
  | { step: 'begin'; section: StatementSection }
  | { step: 'add'; lines: string }
  | { step: 'finish'; totals: StatementTotals }
  | { step: 'end' }

// Documents may take longer, payments may not.
giveWayToPayments()

let document: StatementDocument | null = null

function runStep(step: PdfStep): Uint8Array<ArrayBuffer> {
  if (step.step === 'open') document = openStatementDocument(step.head, step.totals)
  assert(document, 'a document is opened before anything is drawn')
  if (step.step === 'begin') document.begin(step.section)
  if (step.step === 'add') document.add(JSON.parse(`[${step.lines}]`))
  if (step.step === 'finish') document.finish(step.totals)
  if (step.step === 'end') document.end()
  return document.take()
}

parentPort?.on('message', (step: PdfStep) => {
  const bytes = runStep(step)
  parentPort?.postMessage(bytes, [bytes.buffer])
})

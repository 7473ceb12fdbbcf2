import type { Caller } from '../../api/access/actor.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import type { App } from '../../program/app.ts'
import { inReportTurn } from '../report-turn.ts'
import { statementJson } from './json.ts'
import { statementPdf } from './pdf/pdf.ts'
import { parsePeriod } from './period.ts'

/**
 * Makes the stream of the statement of a month (`2026-07`, or `2026-07.pdf` as a document), in the turn of its merchant. Throws Refusal:
 * 400 for another text, 429 for too many documents.
 */
export async function streamStatement(
  app: App,
  caller: Caller,
  text: string,
): Promise<{ stream: DocumentStream; pdf: boolean }> {
  const { period, pdf } = parsePeriod(text)
  const turn = (stream: DocumentStream) => ({ stream: inReportTurn(app, { caller, period }, stream), pdf })
  if (!pdf) return turn(statementJson(app, caller, period))
  await app.exactWindows.statement_pdf.takeNow(caller, app.clock.nowMs())
  return turn(await statementPdf(app, caller, period))
}

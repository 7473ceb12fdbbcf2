import type { Caller } from '../../../api/access/actor.ts'
import type { DocumentStream } from '../../../api/http/answer.ts'
import { openThreadPool, ThreadLost, type ThreadPool } from '../../../platform/processes/threads.ts'
import { unavailable } from '../../../platform/refusal.ts'
import { addSums, type ExactSum } from '../../../platform/sums.ts'
import type { App } from '../../../program/app.ts'
import { readCurrentHeader } from '../header.ts'
import { SECTIONS } from '../lines.ts'
import type { StatementPeriod } from '../period.ts'
import { presentTotals, withStatement } from '../statement.ts'
import type { PdfStep } from './pdf-worker.ts'

// A step draws some thousand lines, which takes some hundred milliseconds.
const ANSWER_WITHIN_MS = 60_000
const THREADS: ThreadPool<PdfStep> = openThreadPool({
  script: new URL('./pdf-worker.js', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
})

/** The statement as a PDF of any length, drawn page by page in a thread. A thread that dies or hangs fails this answer only. */
export async function statementPdf(app: App, caller: Caller, period: StatementPeriod): Promise<DocumentStream> {
  const { handle } = await readCurrentHeader(app.db, caller)
  const name = `statement-${handle}-${period.name}-${caller.mode}.pdf`
  return {
    cut: (error) => app.log.error({ err: error, object_id: period.name }, 'a statement was cut'),
    headers: { 'Content-Type': 'application/pdf', 'Content-Disposition': `attachment; filename="${name}"` },
    write: (reader) =>
      withStatement(app, caller, {
        period,
        use: ({ head, figures, lines }) =>
          THREADS.use(async (ask) => {
            const draw = async (step: PdfStep) => {
              const bytes = await ask(step)
              if (bytes.length > 0) await reader.write(bytes)
            }
            let giftCards: ExactSum = 0
            await draw({ step: 'open', head, totals: presentTotals(figures, 0) })
            for (const section of SECTIONS) {
              await draw({ step: 'begin', section })
              for await (const piece of lines(section)) {
                giftCards = addSums(giftCards, piece.giftCards)
                await draw({ step: 'add', lines: piece.lines.toString() })
              }
              await draw({ step: 'finish', totals: presentTotals(figures, giftCards) })
            }
            await draw({ step: 'end' })
          }),
      }).catch((error: unknown) => {
        if (!(error instanceof ThreadLost)) throw error
        app.log.error({ err: error, object_id: period.name }, 'a statement could not be drawn')
        throw unavailable()
      }),
  }
}

import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import type { Stream } from '../../http/caller.ts'
import { unavailable } from '../../platform/refusal.ts'
import { type Sum, sumOf } from '../../platform/sums.ts'
import { openThreads, ThreadLost, type Threads } from '../../platform/threads.ts'
import { headerNow } from './header.ts'
import { SECTIONS } from './lines.ts'
import type { PdfStep } from './pdf-worker.ts'
import type { Period } from './period.ts'
import { totalsOf, withStatement } from './statement.ts'

// A step draws some thousand lines, which takes some hundred milliseconds.
const ANSWER_WITHIN_MS = 60_000
const THREADS: Threads<PdfStep> = openThreads({
  script: new URL('./pdf-worker.js', import.meta.url),
  answerWithinMs: ANSWER_WITHIN_MS,
})

/** The statement as a PDF of any length, drawn page by page in a thread. A thread that dies or hangs fails this answer only. */
export async function statementPdf(app: App, caller: Caller, period: Period): Promise<Stream> {
  const { handle } = await headerNow(app.db, caller)
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
            let giftCards: Sum = 0
            await draw({ step: 'open', head, totals: totalsOf(figures, 0) })
            for (const section of SECTIONS) {
              await draw({ step: 'begin', section })
              for await (const piece of lines(section)) {
                giftCards = sumOf(giftCards, piece.giftCards)
                await draw({ step: 'add', lines: piece.lines.toString() })
              }
              await draw({ step: 'finish', totals: totalsOf(figures, giftCards) })
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

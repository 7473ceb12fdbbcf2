import type { Caller } from '../../api/access/actor.ts'
import type { DocumentStream } from '../../api/http/answer.ts'
import { addSums, type ExactSum } from '../../platform/sums.ts'
import { writeExactJson } from '../../platform/text/exact-json.ts'
import type { App } from '../../program/app.ts'
import { SECTIONS } from './lines.ts'
import type { StatementPeriod } from './period.ts'
import { presentTotals, withStatement } from './statement.ts'

/** The statement as JSON, written while it is read, so that a million lines need no more memory than a thousand. */
export const statementJson = (app: App, caller: Caller, period: StatementPeriod): DocumentStream => ({
  headers: {},
  cut: (error) => app.log.error({ err: error, object_id: period.name }, 'a statement was cut'),
  write: (reader) =>
    withStatement(app, caller, {
      period,
      use: async ({ head, figures, lines }) => {
        let giftCards: ExactSum = 0
        // The closing brace is cut off: lists and totals follow.
        await reader.write(writeExactJson(head).slice(0, -1))
        for (const section of SECTIONS) {
          let before = `,"${section}":[`
          for await (const piece of lines(section)) {
            await reader.write(before)
            await reader.write(piece.lines)
            giftCards = addSums(giftCards, piece.giftCards)
            before = ','
          }
          await reader.write(before === ',' ? ']' : `${before}]`)
        }
        await reader.write(`,"totals":${writeExactJson(presentTotals(figures, giftCards))}}`)
      },
    }),
})

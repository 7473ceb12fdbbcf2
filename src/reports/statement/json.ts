import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import type { Stream } from '../../http/caller.ts'
import { writeExact } from '../../platform/exact-json.ts'
import { type Sum, sumOf } from '../../platform/sums.ts'
import { SECTIONS } from './lines.ts'
import type { Period } from './period.ts'
import { totalsOf, withStatement } from './statement.ts'

/** The statement as JSON, written while it is read, so that a million lines need no more memory than a thousand. */
export const statementJson = (app: App, caller: Caller, period: Period): Stream => ({
  headers: {},
  cut: (error) => app.log.error({ err: error, object_id: period.name }, 'a statement was cut'),
  write: (reader) =>
    withStatement(app, caller, {
      period,
      use: async ({ head, figures, lines }) => {
        let giftCards: Sum = 0
        // The closing brace is cut off: lists and totals follow.
        await reader.write(writeExact(head).slice(0, -1))
        for (const section of SECTIONS) {
          let before = `,"${section}":[`
          for await (const piece of lines(section)) {
            await reader.write(before)
            await reader.write(piece.lines)
            giftCards = sumOf(giftCards, piece.giftCards)
            before = ','
          }
          await reader.write(before === ',' ? ']' : `${before}]`)
        }
        await reader.write(`,"totals":${writeExact(totalsOf(figures, giftCards))}}`)
      },
    }),
})

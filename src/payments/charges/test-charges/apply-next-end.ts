import { addMs } from '../../../platform/time/clock.ts'
import type { NextEnds } from '../../../rails/next-ends.ts'
import type { Charge } from '../charge.ts'

/** Gives a new test charge the end that the tests of its merchant have asked for, where they have. */
export function applyNextEnd(charge: Charge & { followAt: Date | null; endChosen: boolean }, ends: NextEnds): void {
  const end = ends.take('collect', charge)
  if (end === null) return
  charge.endChosen = true
  if (end.afterSeconds !== null) charge.followAt = addMs(charge.createdAt, end.afterSeconds * 1000)
}

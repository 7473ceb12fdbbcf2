import { type Channel, DEFAULT_CHANNEL, type Installation, type Rail, type Rails } from './rail.ts'

type WithRails = { readonly rails: Rails }

/**
 * Lists the live rails with their channels. Whatever follows, compares, counts or shows live movements asks for all of them and names
 * none, so that a further operator needs no change there.
 */
export const liveRailsByChannel = ({ rails }: WithRails): [Channel, Rail][] =>
  (Object.entries(rails.live) as [Channel, Rail | undefined][]).flatMap(([channel, rail]) =>
    rail === undefined ? [] : [[channel, rail]],
  )

/** Lists the live rails, each once even where it serves several channels. */
export const liveRails = (app: WithRails): readonly Rail[] => [
  ...new Set(liveRailsByChannel(app).map(([, rail]) => rail)),
]

/** Whether this process has a live rail at all; without one it has no live movement to follow. */
export const hasLiveRail = (app: WithRails): boolean => liveRails(app).length > 0

/** Lists the installations of all live rails. */
export const liveInstallations = (app: WithRails): readonly Installation[] =>
  liveRails(app).flatMap(({ installations }) => installations)

/** Finds the live rail that has this installation; undefined where none has it any more. */
export const findLiveRail = (app: WithRails, installation: string): Rail | undefined =>
  liveRails(app).find(({ installations }) => installations.some(({ id }) => id === installation))

/** Whether live money may use this channel: the default one, and every other that has a live rail (spec 1.5). */
export const isLiveChannel = ({ rails }: WithRails, channel: string): boolean =>
  channel === DEFAULT_CHANNEL || Object.hasOwn(rails.live, channel)

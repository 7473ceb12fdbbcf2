/** The resolutions that one person may give alone, with a note (rails.md 5.3). */
export const ONE_PERSON_RESOLUTIONS = ['refunded_outside', 'operator_corrected', 'no_difference'] as const
export type OnePersonResolution = (typeof ONE_PERSON_RESOLUTIONS)[number]

/** Every resolution. The others are set by a command that two operators approved, or when a lost movement gets its final status. */
export type Resolution = OnePersonResolution | 'adjusted' | 'ended_as_told' | 'ended_lost'

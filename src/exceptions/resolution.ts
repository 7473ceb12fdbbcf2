/** What a person may say alone of how an exception was resolved (rails.md 5.3), with a sentence. */
export const BY_ONE_PERSON = ['refunded_outside', 'operator_corrected', 'no_difference'] as const
export type ByOnePerson = (typeof BY_ONE_PERSON)[number]

/** All of them: a closed set. The others come with what two operators agreed on, and with the end of a movement that was lost. */
export type Resolution = ByOnePerson | 'adjusted' | 'ended_as_told' | 'ended_lost'

export type LetterValues = Readonly<Record<string, string>>

/** The text of a mail. A line that is a URL becomes a link. */
export type Letter = { subject: string; lines: readonly string[] }

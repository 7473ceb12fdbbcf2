export type Values = Readonly<Record<string, string>>

/** The words of a mail. A line that is an address of ours becomes a link. */
export type Letter = { subject: string; lines: readonly string[] }

import type { Gateway } from '../app.ts'
import type { Call } from '../platform/db/database.ts'

/** A mail about somebody's account, and what its text is filled with. */
export type Letter = { to: string; template: string; values: Readonly<Record<string, string>>; at: Date }

/** The row of a mail, to be sent in the transaction of what it tells of. */
export const tell = (_gateway: Gateway, _letter: Letter): Call[] => []

/** The address of a page of the dashboard, for a mail. */
export const addressOfPage = ({ baseUrl }: Gateway, path: string): string => `${baseUrl}/dashboard${path}`

import type { Gateway } from '../app.ts'
import { addMail, type Mail } from '../mails/mail.ts'
import type { Call } from '../platform/db/database.ts'

/** The rows of a mail about somebody's account, to be sent in the transaction of what it tells of. */
export const tell = (gateway: Gateway, letter: Mail): Call[] => [addMail(gateway, letter)]

/** The address of a page of the dashboard, for a mail. */
export const addressOfPage = ({ baseUrl }: Gateway, path: string): string => `${baseUrl}/dashboard${path}`

/** The address of a page of the console. */
export const addressOnConsole = ({ baseUrl }: Gateway, path: string): string => `${baseUrl}/console${path}`

import type { Call } from '../../platform/db/database.ts'
import type { Gateway } from '../../program/app.ts'
import { addMail, type Mail } from '../mails/mail.ts'

/** Adds a mail about an account. Send the calls in the transaction of the event that it reports. */
export const accountMailRows = (gateway: Gateway, letter: Mail): Call[] => [addMail(gateway, letter)]

/** Makes the URL of a page of the dashboard. */
export const makeDashboardUrl = ({ baseUrl }: Gateway, path: string): string => `${baseUrl}/dashboard${path}`

/** Makes the URL of a page of the console. */
export const makeConsoleUrl = ({ baseUrl }: Gateway, path: string): string => `${baseUrl}/console${path}`

import type { SignInConfig } from '../../parts/sign-in/sign-in-config.ts'
import { CONSOLE_BASE } from '../addresses.ts'
import { CONSOLE_COOKIES } from '../session-cookies.ts'
import { buildStaffCaller } from '../staff-caller.ts'
import { STAFF_ACCOUNT_TEXTS } from '../texts/staff-account.ts'

/** The sign-in of the console. It has no sign-up and no way to reset a forgotten password: admins invite and reset staff. */
export const CONSOLE_DOOR: SignInConfig = {
  ...{ realm: 'operator', base: CONSOLE_BASE, title: STAFF_ACCOUNT_TEXTS.signIn, cookies: CONSOLE_COOKIES },
  home: async () => CONSOLE_BASE,
  actorOf: buildStaffCaller,
}

import type { Door } from '../../pages/sign-in/door.ts'
import { BASE } from '../addresses.ts'
import { callerOf } from '../caller.ts'
import { COOKIES } from '../session-cookies.ts'
import { OPERATORS } from '../texts/people.ts'

/** The sign-in of the console. It has no sign-up and no way to reset a forgotten password: admins invite and reset staff. */
export const DOOR: Door = {
  ...{ realm: 'operator', base: BASE, title: OPERATORS.signIn, cookies: COOKIES },
  home: async () => BASE,
  actorOf: callerOf,
}

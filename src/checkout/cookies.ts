import { cookie } from '../pages/cookies.ts'
import type { Vault } from '../platform/secrets.ts'
import type { Method } from './view.ts'

/** The input that this browser has entered on the page of one link and may use again (contract.md G50a). */
export type Remembered = {
  /** The applied gift card and the amount that the page showed for it (whole UGX). Never its code. */
  voucher: { cardId: string; applied: number } | null
  /** The phone as typed, for a retry. */
  phone: string
  email: string
  method: Method | null
}

export const NOTHING: Remembered = { voucher: null, phone: '', email: '', method: null }

type Link = { merchantId: number; id: string }

const NAME = 'checkout'
const LANGUAGE = 'lang'
const MINUTES = 30
const YEAR_S = 31_536_000

/** Opens the cookie of this link. Returns NOTHING_REMEMBERED if it is too old, of another link or was changed. */
export function readRemembered(
  vault: Vault,
  link: Link,
  { cookies, nowMs }: { cookies: Map<string, string>; nowMs: number },
): Remembered {
  const sealed = cookies.get(NAME)
  if (sealed === undefined) return NOTHING
  try {
    const { until, ...remembered } = JSON.parse(
      vault.open(Buffer.from(sealed, 'base64url'), bindingOf(link)),
    ) as Remembered & { until: number }
    return until > nowMs ? remembered : NOTHING
  } catch {
    // A cookie that is cut, forged, or sealed for another key or link is ignored.
    return NOTHING
  }
}

/** Returns the Set-Cookie that keeps this input for half an hour, on the pages of this link only. */
export function rememberedCookie(
  vault: Vault,
  link: Link,
  { remembered, nowMs, https }: { remembered: Remembered; nowMs: number; https: boolean },
): string {
  const value = vault
    .seal(JSON.stringify({ ...remembered, until: nowMs + MINUTES * 60_000 }), bindingOf(link))
    .toString('base64url')
  return cookie(NAME, value, { path: `/pay/${link.id}`, seconds: MINUTES * 60, https })
}

export const languageCookie = (language: string, https: boolean): string =>
  cookie(LANGUAGE, language, { path: '/pay', seconds: YEAR_S, https })

const bindingOf = ({ merchantId, id }: Link) => ({ merchantId, purpose: 'checkout cookie', column: id })

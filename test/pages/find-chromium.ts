import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** How a person gets one. */
export const INSTALL_CHROMIUM =
  'apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation'

// Of Debian and Alpine, of Google's own packages, of a Mac. The one without windows first: it takes half the time.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser of the browser tests: that of CHROMIUM_PATH, else one downloaded by its library, else the system's; or null. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    assert.ok(existsSync(named), `CHROMIUM_PATH names ${named}, where there is no file`)
    return named
  }
  return [chromium.executablePath(), ...PLACES].find((place) => existsSync(place)) ?? null
}

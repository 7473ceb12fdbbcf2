import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** The command that installs one. */
export const INSTALL_CHROMIUM = 'apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation'

// Debian and Alpine, Google's own packages, macOS. The headless shell comes first: it takes half the time.
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser for these tests: CHROMIUM_PATH, else Playwright's own download, else the system's; null where none is found. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    assert.ok(existsSync(named), `CHROMIUM_PATH names ${named}, where there is no file`)
    return named
  }
  return [chromium.executablePath(), ...PLACES].find((place) => existsSync(place)) ?? null
}

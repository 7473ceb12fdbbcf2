import assert from 'node:assert/strict'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './find-chromium.ts'

const PATH = findChromium()

/** Options of every test that needs the browser. Without a browser it is skipped; the end of the run says how to install one. */
export const ON_BROWSER = { skip: PATH === null && 'no Chromium', timeout: 300_000 } as const

export const SIZES = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  tablet: { viewport: { width: 768, height: 1024 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} satisfies Record<string, BrowserContextOptions>
export type Size = keyof typeof SIZES

/** The screens of vending machines. */
export const MACHINE_SIZES = [
  { width: 1024, height: 600 },
  { width: 800, height: 480 },
  { width: 600, height: 1024 },
] as const

/** How a visitor comes: in English, on a phone, with scripts, unless told otherwise. `own`: the origins that a page may talk to. */
export type Coming = BrowserContextOptions & { size?: Size; own: readonly string[] }
/** A new browser context without history, and what went wrong in it. */
export type Visitor = { context: BrowserContext; page: Page; troubles(): string[] }

export async function launchBrowser(): Promise<Browser> {
  assert.ok(PATH, 'tests that need a browser are skipped without one')
  return chromium.launch({ executablePath: PATH, args: ['--disable-gpu'] })
}

export async function newVisitor(browser: Browser, { size = 'phone', own, ...more }: Coming): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', ...SIZES[size], ...more })
  context.setDefaultTimeout(30_000)
  const troubles = await watch(context, own)
  return { context, page: await context.newPage(), troubles }
}

const POLICY_WATCH = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('against the policy: ' + violatedDirective + ' ' + blockedURI))`

/** Without the place in it that a form leads back to. */
const pageOf = (address: string) => address.split('#', 1)[0] ?? address

/** Notes errors on the console, in scripts and against the policy, requests to strangers and for fonts. */
async function watch(context: BrowserContext, own: readonly string[]): Promise<() => string[]> {
  const noted: { text: string; at: string }[] = []
  const refused = new Set<string>()
  const note = (text: string, at: string) => void noted.push({ text, at })
  await context.addInitScript(POLICY_WATCH)
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') note(message.text(), message.location().url)
  })
  context.on('weberror', (error) => note(String(error.error()), 'script'))
  context.on('request', (request) => {
    const url = request.url()
    if (request.resourceType() === 'font') note('asks for a font', url)
    if (!url.startsWith('data:') && !own.includes(new URL(url).origin)) note('talks to a stranger', url)
  })
  context.on('response', (response) => {
    if (response.request().isNavigationRequest() && response.status() >= 400) refused.add(pageOf(response.url()))
  })
  // The browser logs every page with a status of 400 or more, and our pages that report a mistake have one.
  const isOfPage = ({ text, at }: { text: string; at: string }) =>
    text.startsWith('Failed to load resource') && refused.has(pageOf(at))
  return () => noted.filter((one) => !isOfPage(one)).map(({ text, at }) => `${text} (${at})`)
}

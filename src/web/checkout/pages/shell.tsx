import type { ComponentChildren } from 'preact'
import { BasicMeta, NoScriptRefresh } from '../../parts/document.tsx'
import { CHECKOUT_ASSETS, type CheckoutScript } from '../assets.ts'
import { LANGUAGES } from '../language.ts'
import { CHECKOUT_CSS } from '../styles.ts'
import { TEXTS } from '../texts/texts.ts'
import type { Language, PageSetting } from '../view.ts'

// The browser's own bars get the colours of the card, because the card fills the page on a phone.
const CARD_COLOURS = { light: '#fff', dark: '#161e1b' }

type CheckoutShellProps = {
  setting: PageSetting
  title: string
  script?: CheckoutScript
  /** Reloads or redirects after so many seconds in a browser without scripts. */
  refresh?: { seconds: number; url?: string }
  /** The page is not about one person's payment, so search engines may list it. */
  isPublic?: boolean
  isWide?: boolean
  children: ComponentChildren
}

/** The document around every page: head, test banner, a card in the middle, and the choice of languages at the foot. */
export function CheckoutShell({ setting, title, script, refresh, isPublic, isWide, children }: CheckoutShellProps) {
  return (
    <html lang={setting.language}>
      <head>
        <BasicMeta />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content={CARD_COLOURS.light} media="(prefers-color-scheme:light)" />
        <meta name="theme-color" content={CARD_COLOURS.dark} media="(prefers-color-scheme:dark)" />
        <meta name="format-detection" content="telephone=no" />
        {!isPublic && <meta name="robots" content="noindex" />}
        <title>{setting.mode === 'test' ? `${TEXTS[setting.language].test.word} · ${title}` : title}</title>
        <link rel="icon" type="image/svg+xml" href={CHECKOUT_ASSETS['icon.svg'].href} />
        <style>{CHECKOUT_CSS}</style>
        {setting.brand?.style && <style>{setting.brand.style}</style>}
        {refresh && <NoScriptRefresh {...refresh} />}
        {script && <script src={CHECKOUT_ASSETS[script].href} defer />}
      </head>
      <body>
        {setting.mode === 'test' && <TestBanner language={setting.language} />}
        <main class={isWide ? 'card wide' : 'card'}>
          {setting.brand?.logo && <img class="logo" src={setting.brand.logo} alt="" height="48" />}
          {children}
        </main>
        <Languages setting={setting} />
      </body>
    </html>
  )
}

function TestBanner({ language }: { language: Language }) {
  const { word, notice } = TEXTS[language].test
  return (
    <header class="test">
      <strong>{word}</strong> – {notice}
    </header>
  )
}

function Languages({ setting }: { setting: PageSetting }) {
  const { here, language } = setting
  const to = (other: Language) => `${here}${here.includes('?') ? '&' : '?'}lang=${other}`
  return (
    <footer>
      <nav aria-label={TEXTS[language].languages}>
        {LANGUAGES.map((other) => (
          <a href={to(other)} lang={other} hreflang={other} aria-current={other === language ? 'true' : undefined}>
            {TEXTS[other].ownName}
          </a>
        ))}
      </nav>
    </footer>
  )
}

import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { BasicMeta } from '../parts/document.tsx'
import { Markdown } from './markdown-text.tsx'
import type { DocsMatch } from './search.ts'

export const DOCS_ASSETS_PATH = '/docs/assets/'

const assetUrl = (name: string) => `${DOCS_ASSETS_PATH}${name}`
const NAVIGATION_LINKS = [
  ['/docs', 'Guide'],
  ['/docs/reference', 'Reference'],
  ['/changelog', 'Changelog'],
  ['/status', 'Status'],
  ['/dashboard/sign-in', 'Sign in'],
] as const

type DocsShellProps = {
  title: string
  path: string
  styles?: readonly string[]
  scripts?: readonly string[]
  /** The address of the same text as Markdown. */
  markdown?: string
  /** Search engines must not list the page. */
  unlisted?: boolean
  children: ComponentChildren
}

/** Renders the page for an unknown address or an error. */
export function renderErrorPage(status: number, sentence: string): string {
  return renderDocument(
    <DocsShell title={`${status}`} path="">
      <main class="column">
        <h1>{status === 404 ? 'There is nothing here' : 'That did not work'}</h1>
        <p class="lead">{sentence}</p>
        <p>
          <a href="/">Start page</a>
        </p>
      </main>
    </DocsShell>,
  )
}

/** Renders the changelog from its Markdown. */
export function renderChangelogPage(changelog: string): string {
  return renderDocument(
    <DocsShell title="Changelog" path="/changelog">
      <main class="column">
        <Markdown text={changelog} />
      </main>
    </DocsShell>,
  )
}

/** Renders the matches of a search in the guide, the errors and the page for machine makers. Each links to its section. */
export function renderSearchPage(question: string, matches: readonly DocsMatch[]): string {
  const count = matches.length === 1 ? 'One place' : `${matches.length} places`
  return renderDocument(
    <DocsShell title={`Search: ${question}`} path="" unlisted>
      <main class="column">
        <h1>Search</h1>
        <SearchForm question={question} />
        {matches.length === 0 ? (
          <p class="lead">
            Nothing has all of these words. Try fewer or others, or read the <a href="/docs">guide</a>.
          </p>
        ) : (
          <>
            <p class="lead">{count}</p>
            <ol class="found">
              {matches.map((match) => (
                <MatchItem {...match} />
              ))}
            </ol>
          </>
        )}
      </main>
    </DocsShell>,
  )
}

function MatchItem({ href, page, title, excerpt }: DocsMatch) {
  return (
    <li>
      <a href={href}>{title}</a> <span class="where">{page}</span>
      <p>{excerpt.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</p>
    </li>
  )
}

/** The search form. It works without script: the matches are a page of their own. */
export const SearchForm = ({ question }: { question: string }) => (
  <search>
    <form class="search" action="/docs">
      <label for="q">Search the documentation</label>
      <input id="q" name="q" type="search" value={question} maxLength={100} autocomplete="off" />
      <button type="submit">Search</button>
    </form>
  </search>
)

/** Renders the page in which Swagger UI draws the reference. */
export function renderReferencePage(): string {
  return renderDocument(
    <DocsShell
      title="API reference"
      path="/docs/reference"
      styles={['swagger-ui.css', 'reference.css']}
      scripts={['swagger-ui-bundle.js', 'reference.js']}
    >
      <main id="reference">
        <noscript>
          <p class="column">
            The interactive reference needs JavaScript. Without it the guide{' '}
            <a href="/docs/endpoints">lists every endpoint</a>,<a href="/docs/reference.md">reference.md</a> has every
            field, and <a href="/openapi.json">openapi.json</a> holds all of it.
          </p>
        </noscript>
      </main>
    </DocsShell>,
  )
}

export function DocsShell(props: DocsShellProps) {
  const { title, path, styles = [], scripts = [], markdown, unlisted = false, children } = props
  return (
    <html lang="en">
      <head>
        <BasicMeta />
        <meta name="color-scheme" content="light dark" />
        {unlisted && <meta name="robots" content="noindex" />}
        <title>{title === 'Gateway' ? title : `${title} - Gateway`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('icon.svg')} />
        {markdown !== undefined && <link rel="alternate" type="text/markdown" href={markdown} />}
        {['tokens.css', 'docs.css', ...styles].map((name) => (
          <link rel="stylesheet" href={assetUrl(name)} />
        ))}
        {scripts.map((name) => (
          <script src={assetUrl(name)} defer />
        ))}
      </head>
      <body>
        <header class="bar">
          <a class="brand" href="/">
            Gateway
          </a>
          <nav aria-label="Documentation">
            {NAVIGATION_LINKS.map(([href, name]) => (
              <a href={href} aria-current={currentIn(href, path)}>
                {name}
              </a>
            ))}
          </nav>
        </header>
        {children}
      </body>
    </html>
  )
}

/** A page of the guide stands below its link. */
function currentIn(href: string, path: string): 'page' | 'true' | undefined {
  if (href === path) return 'page'
  return href === '/docs' && path.startsWith('/docs/') && path !== '/docs/reference' ? 'true' : undefined
}

export const renderDocument = (page: Parameters<typeof renderToString>[0]) => `<!doctype html>${renderToString(page)}`

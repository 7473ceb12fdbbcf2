import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { renderErrorsMarkdown } from './guide-markdown.ts'
import { Markdown } from './markdown.tsx'
import type { DocsMatch } from './search.ts'

export const DOCS_ASSETS_PATH = '/docs/assets/'

const assetUrl = (name: string) => `${DOCS_ASSETS_PATH}${name}`
const NAVIGATION_LINKS = [
  ['/docs', 'Guide'],
  ['/docs/reference', 'Reference'],
  ['/docs/errors', 'Errors'],
  ['/docs/machines', 'Machine makers'],
  ['/changelog', 'Changelog'],
  ['/dashboard/sign-in', 'Sign in'],
] as const

type DocsShellProps = {
  title: string
  path: string
  styles?: readonly string[]
  scripts?: readonly string[]
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

/** Renders the page for makers of vending machines from its Markdown. */
export function renderMachinesPage(machines: string, baseUrl: string): string {
  return renderDocument(
    <DocsShell title="For makers of vending machines" path="/docs/machines">
      <main class="column">
        <Markdown text={machines.replaceAll('{base_url}', baseUrl)} />
      </main>
    </DocsShell>,
  )
}

/** Renders the guide with its endpoints as plain HTML. `markdown` is the result of `renderGuideMarkdown`. */
export function renderGuidePage(markdown: string): string {
  return renderDocument(
    <DocsShell title="Guide" path="/docs">
      <main class="column">
        <SearchForm question="" />
        <Markdown text={markdown} />
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
const SearchForm = ({ question }: { question: string }) => (
  <search>
    <form class="search" action="/docs">
      <label for="q">Search the documentation</label>
      <input id="q" name="q" type="search" value={question} maxLength={100} autocomplete="off" />
      <button type="submit">Search</button>
    </form>
  </search>
)

/** Renders every code of the API with its cause and remedy. */
export function renderErrorCodesPage(): string {
  return renderDocument(
    <DocsShell title="Errors" path="/docs/errors">
      <main class="column">
        <Markdown text={renderErrorsMarkdown()} />
      </main>
    </DocsShell>,
  )
}

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
            The interactive reference needs JavaScript. The <a href="/docs">guide</a> lists every endpoint without it,
            and <a href="/openapi.json">openapi.json</a> holds all of it.
          </p>
        </noscript>
      </main>
    </DocsShell>,
  )
}

export function DocsShell({ title, path, styles = [], scripts = [], unlisted = false, children }: DocsShellProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {unlisted && <meta name="robots" content="noindex" />}
        <title>{title === 'Gateway' ? title : `${title} - Gateway`}</title>
        <link rel="icon" type="image/svg+xml" href={assetUrl('icon.svg')} />
        {['docs.css', ...styles].map((name) => (
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
              <a href={href} aria-current={href === path ? 'page' : undefined}>
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

export const renderDocument = (page: Parameters<typeof renderToString>[0]) => `<!doctype html>${renderToString(page)}`

import type { VNode } from 'preact'
import type { DocumentStream } from '../../../api/http/answer.ts'

/** A sentence for the top of the next page. `done`: the act was done; `note`: it was not. */
export type Flash = { kind: 'done' | 'note'; says: string }

/** The content of a page; the surface puts its frame around it. */
export type PageReply = {
  kind: 'page'
  title: string
  body: VNode
  status?: number
  /** Scripts of `page-assets.ts` that improve this page. */
  scripts?: readonly string[]
  /** Seconds after which a browser without scripts loads the page again. */
  refreshSeconds?: number
  retryAfterSeconds?: number
}

/** The reply of a handler; `surface-routes.ts` sends it. */
export type SurfaceReply = (
  | PageReply
  /** A part of a page that its script puts in place of the old one. `final`: it will not change any more. */
  | { kind: 'part'; body: VNode; final?: boolean }
  /** 303 to an address of this surface. */
  | { kind: 'redirect'; to: string; flash?: Flash }
  | { kind: 'json'; value: unknown }
  /** A file, saved under this name; `inline` pictures are shown in pages. */
  | { kind: 'file'; name: string; type: string; body: Buffer; inline?: boolean; maxAgeSeconds?: number }
  | { kind: 'stream'; name: string; type: string; stream: DocumentStream }
) & { cookies?: readonly string[] }

export const pageReply = (title: string, body: VNode, more: Partial<PageReply> = {}): PageReply => ({
  kind: 'page',
  title,
  body,
  ...more,
})

/** Redirects to another page of the surface, with a sentence about what was done. */
export const redirectDone = (to: string, says?: string): Extract<SurfaceReply, { kind: 'redirect' }> => ({
  kind: 'redirect',
  to,
  ...(says === undefined ? {} : { flash: { kind: 'done' as const, says } }),
})

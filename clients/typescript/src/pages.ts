import type { LastResponse } from './client.ts'

type ListPage<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null; readonly lastResponse: LastResponse }
type Cursors = { starting_after?: string; ending_before?: string }

/**
 * A list. `await` gives its first page as the service sends it, `for await` every row of all pages, and `toArray` as many rows as you say.
 */
export class List<Page extends ListPage<unknown>, Query extends object = object> implements Promise<Page> {
  readonly #query: Query & Cursors
  readonly #load: (query: Query & Cursors) => Promise<Page>
  #first: Promise<Page> | undefined

  constructor(load: (query: Query & Cursors) => Promise<Page>, query: Query & Cursors) {
    this.#load = load
    this.#query = query
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page, as in other clients of this kind.
  then<Good = Page, Bad = never>(
    good?: ((page: Page) => Good | PromiseLike<Good>) | null,
    bad?: ((error: unknown) => Bad | PromiseLike<Bad>) | null,
  ): Promise<Good | Bad> {
    this.#first ??= this.#load(this.#query)
    return this.#first.then(good, bad)
  }

  catch<Bad = never>(bad?: ((error: unknown) => Bad | PromiseLike<Bad>) | null): Promise<Page | Bad> {
    return this.then(null, bad)
  }

  finally(end?: (() => void) | null): Promise<Page> {
    return this.then().finally(end)
  }

  get [Symbol.toStringTag](): string {
    return 'List'
  }

  /** Every row of all pages, which are asked for one after the other as you come to their end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Page['data'][number], void, undefined> {
    for await (const page of this.pages()) yield* page.data as Page['data'][number][]
  }

  /** All pages. A page may be empty while more follow. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    const direction = this.#query.ending_before === undefined ? 'starting_after' : 'ending_before'
    let page: Page = await this
    for (;;) {
      yield page
      const cursor = page.next_cursor
      if (!page.has_more || cursor === null) return
      page = await this.#load({ ...this.#query, [direction]: cursor })
      if (page.has_more && page.next_cursor === cursor) throw new Error(`the list does not go on behind ${cursor}`)
    }
  }

  /** The first `limit` rows, of as many pages as that takes. */
  async toArray({ limit }: { limit: number }): Promise<Page['data']> {
    const rows: Page['data'] = []
    if (limit <= 0) return rows
    for await (const row of this) if (rows.push(row) >= limit) break
    return rows
  }
}

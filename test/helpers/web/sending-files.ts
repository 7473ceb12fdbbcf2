import type { Browser, Page } from './browser.ts'

export type SentFile = { name: string; bytes: Uint8Array; type?: string }

/** Sends a form with these files, as a browser does; an empty one stands for none. */
export async function sendFiles(
  browser: Pick<Browser, 'post'>,
  address: string,
  {
    fields,
    files,
    field = 'file',
  }: { fields: Readonly<Record<string, string>>; files: readonly SentFile[]; field?: string },
): Promise<Page> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const { name, bytes, type = 'application/octet-stream' } of files)
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name)
  if (files.length === 0) form.append(field, new Blob([]), '')
  const made = new Response(form)
  return browser.post(address, new Uint8Array(await made.arrayBuffer()), {
    'content-type': made.headers.get('content-type') ?? '',
  })
}

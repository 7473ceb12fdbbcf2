/** The files of a mail as a server took it. */
export function attachmentsOf(data: string): { name: string; bytes: Buffer }[] {
  return data.split(/\r?\n--/).flatMap((part) => {
    const [head = '', ...body] = part.split(/\r?\n\r?\n/)
    const name = /filename="?([^"\r\n;]+)"?/.exec(head)?.[1]
    return name === undefined ? [] : [{ name, bytes: Buffer.from(body.join('').replace(/\s/g, ''), 'base64') }]
  })
}

/** The plain text of a mail. */
export function textOf(data: string): string {
  const [, ...parts] = data.split(/Content-Type: text\/plain[^\n]*\n/)
  const [body = ''] = (parts[0] ?? '').split(/\r?\n--/)
  const [head = '', ...rest] = body.split(/\r?\n\r?\n/)
  const text = rest.join('\n\n')
  return /base64/i.test(head)
    ? Buffer.from(text, 'base64').toString('utf8')
    : text.replace(/=\r?\n/g, '').replace(/=3D/g, '=')
}

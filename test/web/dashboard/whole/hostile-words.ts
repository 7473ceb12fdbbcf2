import type { Words } from './objects.ts'

/** Each would set `hit`, open a dialog or call a stranger if it were anything but text. */
export const HOSTILE_WORDS: Words = {
  name: `"'><img src=x onerror=hit=1><b>Ŋŋoma</b>`,
  note: [
    '</title></style></textarea></pre><script>hit=1</script>',
    '<!--<svg onload=hit=1>',
    'javascript:hit=1 {{constructor.constructor("hit=1")()}}<%=hit=1%>',
    '<meta http-equiv=refresh content=0;url=//stranger.invalid><base href=//stranger.invalid/>',
    '<form action=//stranger.invalid><button autofocus>&lt;script&gt;hit=1&lt;/script&gt;',
  ].join('\n'),
  reference: `"autofocus onfocus=hit=1 x="<script>hit=1</script>${'x'.repeat(205)}`,
}

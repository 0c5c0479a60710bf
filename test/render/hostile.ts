/** Names that would end or command something where they are not escaped. */
export const hostileNames = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '--><!--',
  ']]>',
  '</style></svg>',
  '&lt;b&gt;&amp;#x3c;',
  '\u202Eevil\u2066',
  'bell\u0007 escape\u001B[31m nul\u0000',
  'line\nbreak\r\ttab\u2028',
  '##[error]x ::error::y',
  '::set-output name=x::y',
  '\\" -> n [label="',
  '${constructor}__proto__',
  'half \uD800 pair',
];

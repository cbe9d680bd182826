/** IPv4 addresses that no payload may reach, one or more of each special range. */
const specialIpv4 = [
  '0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.254', '100.64.0.1', '100.100.100.200', '100.127.255.254',
  '127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2',
  '168.63.129.16', '172.16.0.1', '172.31.255.254', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.88.99.1',
  '192.168.0.1', '192.168.255.254', '198.18.0.1', '198.19.255.254', '198.51.100.1', '203.0.113.1',
  '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255',
] // biome-ignore format: a table
/** IPv6 addresses of the same sort. */
const specialIpv6 = [
  '::', '::1', '0:0:0:0:0:0:0:1', '::2', '::127.0.0.1', '::ffff:0:127.0.0.1', 'fe80::1', 'fe80::a9fe:a9fe', 'febf::1', 'fec0::1',
  'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fd20:ce::254', 'ff00::1', 'ff02::1', 'ff05::2', 'ff0e::1', '100::1', '2001::1',
  '2001:0:7f00:1::1', '2001:2::1', '2001:10::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::1', '2002:a9fe:a9fe::1', '2002:a00:1::1',
  '64:ff9b:1::7f00:1', '4000::1', '5f00::1', '8000::1', 'e000::1',
] // biome-ignore format: a table
/** Names that would lead to internal hosts if no rule stopped them. The tests resolve every name to this machine. */
const names = [
  'localhost', 'LOCALHOST', 'localhost.localdomain', 'sub.localhost', 'ip6-localhost', 'metadata.google.internal', 'metadata',
  'instance-data', 'instance-data.ec2.internal', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local', 'postgres', 'redis',
  'host.docker.internal', 'gateway.docker.internal', '127.0.0.1.nip.io', '7f000001.nip.io', 'localtest.me', 'spoofed.example.com',
  '127-0-0-1.example.com', 'xn--localhost-.example', 'a.b.c.internal', 'intranet', 'router.local', 'wpad', '0x7f.1.example',
] // biome-ignore format: a table

const octetsOf = (address: string): number[] => address.split('.').map(Number)
const numberOf = (address: string): number => octetsOf(address).reduce((sum, octet) => sum * 256 + octet, 0)
const hex = (octet: number | undefined): string => (octet ?? 0).toString(16).padStart(2, '0')

/** All notations of an IPv4 address that URL parsers or resolvers accept. */
function spellingsOf(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = octetsOf(address)
  const number = numberOf(address)
  const pair = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`
  return [
    address,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    octetsOf(address)
      .map((octet) => `0x${octet.toString(16)}`)
      .join('.'),
    octetsOf(address)
      .map((octet) => `0${octet.toString(8)}`)
      .join('.'),
    octetsOf(address)
      .map((octet) => `000${octet.toString(8)}`)
      .join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`,
    `${address}.`,
    Array.from(address, (character) => (character === '.' ? '%2e' : `%3${character}`)).join(''),
    Array.from(address, (character) =>
      character === '.' ? '。' : String.fromCodePoint(0xff10 + Number(character)),
    ).join(''),
    `[::ffff:${address}]`,
    `[::ffff:${pair}]`,
    `[0:0:0:0:0:FFFF:${pair}]`,
    `[64:ff9b::${pair}]`,
    `[64:ff9b::${address}]`,
    `[2002:${pair}::1]`,
    `[::${pair}]`,
  ]
}

/** URLs that must cause no connection, whatever listens at `port`. */
export function hostileUrls(port: number): string[] {
  const hosts = [
    ...specialIpv4.flatMap(spellingsOf),
    ...specialIpv6.flatMap((address) => [`[${address}]`]),
    ...names.flatMap((name) => [name, `${name}.`]),
  ]
  return [
    ...hosts.map((host) => `http://${host}:${port}/`),
    ...names.map((name) => `https://${name}:${port}/`),
    ...['127.0.0.1', '[::1]', 'localhost'].flatMap((host) => [
      `http://user@${host}:${port}/`,
      `http://user:password@${host}:${port}/`,
      `http://example.com@${host}:${port}/`,
      `http://${host}:${port}#@example.com/`,
      `http://${host}:${port}\\@example.com/`,
      `http:/\\/${host}:${port}/`,
      `http:${host}:${port}/`,
      `HTTP://${host}:${port}/`,
      `ws://${host}:${port}/`,
      `ftp://${host}:${port}/`,
      `file://${host}/etc/passwd`,
      `gopher://${host}:${port}/`,
    ]),
    'http://[fe80::1%25eth0]/',
    'http://[::1%25lo]/',
    'http://',
    'http://:80/',
    'data:text/plain,hello',
    'unix:///var/run/docker.sock',
    'http://unix:/var/run/docker.sock:/info',
  ]
}

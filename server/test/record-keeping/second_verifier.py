"""Checks packages by docs/reference/archive-format.md, with nothing but Python's standard library.

    python3 second_verifier.py CHECKPOINTS KEYS PACKAGE …

It prints a line for each package: 0 if it is intact, 1 if it was altered, 2 if it is incomplete, 3 if it can't tell, and
why. The exit code is the largest of them. It shares no code with the verifier that we ship, so a mistake in one of them
shows.
"""

import base64
import binascii
import calendar
import functools
import hashlib
import json
import os
import re
import stat
import struct
import sys
import time
from datetime import datetime, timezone
from decimal import Decimal

ALTERED, INCOMPLETE, UNKNOWN = 1, 2, 3
FIRST_FORMAT = 'assent-archive-package-v1'
FORMATS = (FIRST_FORMAT, 'assent-archive-package-v2')
FIELDS = ['advisorId', 'number', 'kind', 'memberId', 'messageId', 'actor', 'traceId', 'meta', 'commitment', 'dateTime']
ENDINGS = {'text_out': 'out', 'text_in': 'in', 'consent': 'consent', 'media_in': 'media'}
DISPOSABLE = {'text_out', 'text_in', 'consent', 'schedule', 'broadcast', 'review', 'export', 'merge', 'sign_in', 'media_in'}
LINE_BYTES_MAX = 8 * 1024 * 1024
NOTE_CHARACTERS_MAX = 16 * 1024


class CantTell(Exception):
    pass


class NoZip(Exception):
    pass


class Findings:
    def __init__(self):
        self.entries, self.files, self.doubts = [], [], []

    def entry(self, code, what):
        self.entries.append((code, what))

    def file(self, code, what):
        self.files.append((code, what))

    def verdict(self):
        faults = self.entries or self.files
        if faults:
            return min(faults)
        return (UNKNOWN, self.doubts[0]) if self.doubts else (0, 'intact')


def sha256(data):
    return hashlib.sha256(data).digest()


def unbase64(text):
    return base64.b64decode(text, validate=True)


# --- Ed25519, RFC 8032 ---------------------------------------------------------------------------------------------

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return i * j % P, k * m % P, j * k % P, i * m % P


def multiply(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point = add(point, point)
        number >>= 1
    return result


def decompress(data):
    y = int.from_bytes(data, 'little')
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decompress((4 * pow(5, -1, P) % P).to_bytes(32, 'little'))


# Packages that are checked together share most of their notes.
@functools.cache
def is_signed(key, message, signature):
    if len(signature) != 64:
        return False
    point, r = decompress(key), decompress(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if point is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), 'little') % Q
    left, right = multiply(s, BASE), add(r, multiply(h, point))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- Keys, notes, checkpoints --------------------------------------------------------------------------------------


def read_keys(path):
    keys = []
    try:
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
    except (OSError, UnicodeDecodeError):
        lines = []
    for line in lines:
        match = re.fullmatch(r'([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)', line.strip())
        if not match:
            continue
        name, key_id, encoded = match.groups()
        try:
            data = unbase64(encoded)
        except binascii.Error:
            continue
        if len(data) == 33 and data[0] == 1 and sha256(name.encode() + b'\n' + data)[:4].hex() == key_id:
            keys.append((name, bytes.fromhex(key_id), data[1:]))
    return keys


def open_note(note, keys):
    """The text of a note and the name of the key that signed it, or None."""
    end = note.rfind('\n\n')
    if end < 0 or not note.endswith('\n') or len(note) > NOTE_CHARACTERS_MAX:
        return None
    text = note[: end + 1]
    for line in note[end + 2 :].split('\n'):
        match = re.fullmatch(r'— (\S+) (\S+)', line)
        if not match:
            continue
        try:
            data = unbase64(match[2])
        except (binascii.Error, ValueError):
            continue
        if base64.b64encode(data).decode() != match[2]:
            continue
        for name, key_id, key in keys:
            if match[1] == name and data[:4] == key_id and is_signed(key, text.encode(), data[4:]):
                return text, name
    return None


def read_checkpoint(note, keys):
    opened = open_note(note, keys)
    if opened is None:
        return None
    text, name = opened
    lines = text.split('\n')
    if len(lines) < 3 or lines[0] != name or not re.fullmatch(r'0|[1-9]\d{0,15}', lines[1]):
        return None
    try:
        root = unbase64(lines[2])
    except binascii.Error:
        return None
    if len(root) != 32:
        return None
    times = [line[5:] for line in lines[3:] if line.startswith('time ')]
    return {'size': int(lines[1]), 'root': root, 'time': milliseconds(times[0]) if times else None}


def notes_in(text):
    parts = re.split(r'\n\n', text)
    return [f'{parts[at - 1]}\n\n{part.rstrip()}\n' for at, part in enumerate(parts) if at and part.startswith('— ')]


def milliseconds(text):
    match = re.fullmatch(r'(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})\d*Z', text)
    if not match:
        return None
    return calendar.timegm(tuple(map(int, match.groups()[:6]))) * 1000 + int(match[7])


# --- The tree: RFC 6962, RFC 9162 ----------------------------------------------------------------------------------


def node(left, right):
    return sha256(b'\x01' + left + right)


def included_root(leaf, index, size, proof):
    if index >= size:
        return None
    at, last, result = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if at & 1 or at == last:
            result = node(sibling, result)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            result = node(result, sibling)
        at, last = at >> 1, last >> 1
    return result if last == 0 else None


def is_consistent(older, newer, proof):
    if older['size'] > newer['size']:
        return False
    if older['size'] == newer['size']:
        return not proof and older['root'] == newer['root']
    if older['size'] == 0:
        return not proof
    path = list(proof)
    if older['size'] & (older['size'] - 1) == 0:
        path.insert(0, older['root'])
    if not path:
        return False
    at, last = older['size'] - 1, newer['size'] - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    first = second = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            first, second = node(sibling, first), node(sibling, second)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            second = node(second, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and first == older['root'] and second == newer['root']


# --- Entries -------------------------------------------------------------------------------------------------------


def entry_bytes(entry):
    values = ['assent-entry-v1'] + [entry[field] for field in FIELDS]
    return json.dumps(values, ensure_ascii=False, separators=(',', ':')).encode()


def leaf_hash(entry):
    return sha256(b'\x00' + entry_bytes(entry))


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def is_text(value):
    return isinstance(value, str)


def facts_in(text):
    try:
        facts = json.loads(text)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}


def text_of(body):
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def is_salt(salt):
    return len(salt) == 16 or (len(salt) > 17 and salt.find(b'\0', 16) == len(salt) - 1)


def name_in(salt):
    return salt[16:-1].decode(errors='replace') if len(salt) > 16 else None


def is_outcome(value):
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and is_count(value.get('number'))
        and is_text(value.get('outcome'))
        and (value.get('reason', 0) is None or is_text(value.get('reason')))
        and is_text(value.get('dateTime'))
        and (value.get('carrier') is None or is_text(value['carrier']))
        and (value.get('handedOver') is None or is_moment(value['handedOver']))
    )


class Line:
    """A line of entries.ndjson; ValueError if it has a different form."""

    def __init__(self, data):
        given = json.loads(data)
        if json.dumps(given, ensure_ascii=False, separators=(',', ':')).encode() != data.rstrip():
            raise ValueError
        entry = given['entry'] if isinstance(given, dict) else None
        if not isinstance(entry, dict) or not is_count(given.get('leaf')) or not isinstance(given.get('proof'), list):
            raise ValueError
        if len(given['proof']) > 64 or not all(map(is_text, given['proof'])):
            raise ValueError
        if not all(is_count(entry.get(field)) for field in ['advisorId', 'number']):
            raise ValueError
        if not all(is_text(entry.get(field)) for field in ['kind', 'actor', 'meta', 'commitment', 'dateTime']):
            raise ValueError
        if not all(entry[field] is None or is_count(entry[field]) for field in ['memberId', 'messageId']):
            raise ValueError
        rest = [entry['traceId']] + [given[field] for field in ['salt', 'body', 'text', 'phone', 'name']]
        if not all(value is None or is_text(value) for value in rest):
            raise ValueError
        if given.get('about', 'rule') not in ('rule', 'disposal') or not is_outcome(given['outcome']):
            raise ValueError
        self.entry, self.leaf, self.about = entry, given['leaf'], given.get('about')
        self.proof = [unbase64(each) for each in given['proof']]
        if not all(len(each) == 32 for each in self.proof):
            raise ValueError
        self.salt = None if given['salt'] is None else unbase64(given['salt'])
        self.body = None if given['body'] is None else unbase64(given['body'])
        self.text, self.phone, self.person = given['text'], given['phone'], given['name']
        self.outcome = given['outcome']
        self.hash = leaf_hash(entry)
        self.name = f'entry {entry["number"]} of advisor {entry["advisorId"]}'

    def fault(self):
        if self.body is not None:
            if self.salt is None or not is_salt(self.salt):
                return 'its body was altered'
            if len(self.salt) > 16 if self.is_media() else b'\0' in self.body:
                return 'its body was altered'
            if sha256(self.salt + self.body).hex() != self.entry['commitment']:
                return 'its body was altered'
        if self.person != (None if self.body is None else name_in(self.salt)):
            return 'the name next to it was altered'
        if self.text != (None if self.body is None or self.is_media() else text_of(self.body)):
            return 'the text next to its body was altered'
        known = self.known_phone()
        if self.phone is not None and is_text(known) and known != self.phone:
            return 'the phone number next to it was altered'
        return None

    def is_media(self):
        return self.entry['kind'] == 'media_in'

    def is_without_body(self):
        return self.entry['kind'] == 'outcome' and self.entry['commitment'] == '0' * 64

    def known_phone(self):
        kind, meta = self.entry['kind'], self.entry['meta']
        if kind == 'text_out':
            return facts_in(meta).get('to')
        if kind in ('text_in', 'media_in'):
            return facts_in(meta).get('from')
        return facts_in(self.body).get('phone') if kind == 'consent' and self.body is not None else None


# --- Missing bodies ------------------------------------------------------------------------------------------------


class Disposals:
    def __init__(self, checkpoints):
        limit = time.time() * 1000 + 3_600_000
        self.checkpoints = [each for each in checkpoints if each['time'] is not None and each['time'] <= limit]
        self.ranges, self.rules, self.firm = [], [], None

    def take_disposal(self, line):
        try:
            pairs = json.loads(line.body) if line.body is not None else []
        except ValueError:
            pairs = []
        if line.entry['kind'] != 'disposal' or not isinstance(pairs, list):
            return
        for pair in pairs:
            if isinstance(pair, list) and len(pair) == 2 and all(map(is_count, pair)):
                self.ranges.append((pair[0], pair[1], line))

    def take_rule(self, line):
        entry = line.entry
        facts = facts_in(entry['meta'])
        if entry['kind'] in ('retention', 'hold'):
            self.rules.append((line, facts))
        elif entry['kind'] == 'setting' and entry['number'] == 1 and facts.get('what') == 'advisor added':
            if is_count(facts.get('firmId')) and self.firm is None:
                self.firm = facts['firmId']

    def is_due(self, line):
        candidates = [each for each in self.ranges if each[0] <= line.entry['number']]
        if not candidates:
            return False
        _, end, disposal = max(candidates, key=lambda each: each[0])
        if line.entry['number'] > end or line.entry['kind'] not in DISPOSABLE:
            return False
        years, holds = self.judge(disposal)
        if any(member is None or member == line.entry['memberId'] for member in holds):
            return False
        before = [each['time'] for each in self.checkpoints if each['size'] <= disposal.leaf]
        by = [each['time'] for each in self.checkpoints if each['size'] > line.leaf]
        return bool(before and by) and min(by) <= years_before(max(before), years)

    def judge(self, disposal):
        signed = max([each['size'] for each in self.checkpoints if each['size'] <= disposal.leaf], default=0)

        def is_own(line):
            return line.entry['advisorId'] == disposal.entry['advisorId']

        def was_there(line):
            return line.entry['number'] < disposal.entry['number'] if is_own(line) else line.leaf < signed

        def may_have_been(line):
            return line.entry['number'] < disposal.entry['number'] if is_own(line) else line.leaf <= disposal.leaf

        before = max([each['time'] for each in self.checkpoints if each['size'] <= disposal.leaf], default=None)

        def counts(given):
            if 'countsFrom' not in given:
                return True
            since = milliseconds(given['countsFrom']) if isinstance(given['countsFrom'], str) else None
            return since is not None and before is not None and since <= before

        rules = [each for each in self.rules if is_own(each[0]) or self.firm in (None, each[1].get('firmId'))]
        years = 7
        for line, facts in sorted(rules, key=lambda each: each[0].entry['number']):
            given = facts.get('years')
            if line.entry['kind'] != 'retention' or not is_count(given) or not 1 <= given <= 100:
                continue
            if was_there(line):
                years = given if counts(facts) else max(years, given)
            elif may_have_been(line) and counts(facts):
                years = min(years, given)
        holds = [each for each in rules if each[0].entry['kind'] == 'hold']
        lifts = [each for each in holds if each[1].get('action') == 'lifted' and may_have_been(each[0])]
        lifted = [f.get('holdId') for _, f in lifts if counts(f)]
        return years, [
            line.entry['memberId']
            for line, f in holds
            if f.get('action') == 'added' and was_there(line) and f.get('holdId') not in lifted
        ]


def years_before(at, years):
    moment = datetime.fromtimestamp(at // 1000, timezone.utc)
    year, month, day = moment.year - years, moment.month, moment.day
    if (month, day) == (2, 29) and not calendar.isleap(year):
        month, day = 3, 1
    seconds = calendar.timegm((year, month, day, moment.hour, moment.minute, moment.second))
    return seconds * 1000 + at % 1000


# --- Outcomes ------------------------------------------------------------------------------------------------------


def is_moment(value):
    return is_text(value) and re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z', value, re.ASCII) is not None


def check_outcomes(lines, faulty, is_first_format, findings):
    last = {}
    for line in lines:
        if line.entry['kind'] == 'outcome':
            facts = facts_in(line.entry['meta'])
            last[facts.get('text')] = {
                'number': line.entry['number'],
                'outcome': js_text(facts.get('outcome')),
                'reason': facts['reason'] if is_text(facts.get('reason')) else None,
                'dateTime': line.entry['dateTime'],
                'carrier': facts['carrier'] if is_text(facts.get('carrier')) else None,
                'handedOver': facts['handedOver'] if is_moment(facts.get('handedOver')) else None,
            }
    for line in lines:
        expected = last.get(line.entry['number']) if line.entry['kind'] == 'text_out' else None
        given = line.outcome and {field: line.outcome[field] for field in ['number', 'outcome', 'reason', 'dateTime']}
        # Packages from before the carrier was a fact don't have it.
        if given and expected:
            given['carrier'] = line.outcome.get('carrier', expected['carrier'])
            # Nor do those of the first format say when a text was handed over.
            given['handedOver'] = expected['handedOver'] if is_first_format else line.outcome.get('handedOver', 'missing')
        if given == expected:
            continue
        is_explained = given and given['number'] in faulty and (not expected or given['number'] > expected['number'])
        if line.entry['kind'] != 'text_out' or not is_explained:
            findings.entry(ALTERED, f'{line.name}: the outcome next to it was altered')


# --- E-mails -------------------------------------------------------------------------------------------------------


def js_text(value):
    if value is None:
        return 'null'
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, list):
        return ','.join('' if each is None else js_text(each) for each in value)
    if isinstance(value, dict):
        return '[object Object]'
    if isinstance(value, (int, float)):
        return js_number(value)
    return str(value)


def js_number(value):
    """ECMAScript, Number::toString: the shortest digits that tell it apart, and an exponent only where it is far away."""
    sign, digits, exponent = Decimal(repr(float(value))).normalize().as_tuple()
    if not any(digits):
        return '0'
    text = ''.join(map(str, digits))
    point = len(text) + exponent
    minus = '-' if sign else ''
    if len(text) <= point <= 21:
        return minus + text + '0' * (point - len(text))
    if 0 < point <= 21:
        return f'{minus}{text[:point]}.{text[point:]}'
    if -6 < point <= 0:
        return f'{minus}0.{"0" * -point}{text}'
    fraction = f'.{text[1:]}' if len(text) > 1 else ''
    return f'{minus}{text[0]}{fraction}e{point - 1:+d}'


def plain(value):
    text = 'unknown' if value is None else js_text(value)
    units = text.encode('utf-16-le')
    codes = struct.unpack(f'<{len(units) // 2}H', units)
    return ''.join(chr(code) if 0x21 <= code <= 0x7E else '?' for code in codes)


def phrase(text):
    if re.fullmatch(r'[\x20-\x7e]*', text):
        return '"' + re.sub(r'(["\\])', r'\\\1', text) + '"'
    words = [b'']
    for character in text:
        data = character.encode()
        if len(words[-1] + data) > 45:
            words.append(data)
        else:
            words[-1] += data
    return '\r\n '.join(f'=?utf-8?B?{base64.b64encode(word).decode()}?=' for word in words)


def base64_lines(data):
    text = base64.b64encode(data).decode()
    return [text[at : at + 76] for at in range(0, len(text), 76)]


def text_lines(data):
    return ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', '', *base64_lines(data)]


def fact_lines(path, facts):
    for name, value in facts.items():
        if isinstance(value, dict):
            yield from fact_lines(f'{path}{name}.', value)
        else:
            yield f'{path}{name}: {js_text(value)}'


def email_name(line, manifest):
    digits = max(6, len(str(manifest['lastNumber'] or 0)))
    return f'{line.entry["number"]:0{digits}d}-{ENDINGS[line.entry["kind"]]}.eml'


def address_lines(line, advisor):
    facts, kind = facts_in(line.entry['meta']), line.entry['kind']
    source, target = plain(facts.get('from')), plain(facts.get('to'))
    name = phrase(advisor['name'])
    person = name_in(line.salt)
    if kind == 'consent':
        phone = plain(facts_in(line.body).get('phone'))
        sender, subject = f'{phrase(person or phone)} <{phone}@sms.invalid>', f'Consent of {phone}: {source} to {target}'
        return [f'From: {sender}', f'To: {name} <advisor-{advisor["id"]}@assent.invalid>', f'Subject: {subject}']
    if kind == 'text_out':
        sender, receiver = f'{name} <{source}@sms.invalid>', f'{phrase(person or target)} <{target}@sms.invalid>'
        return [f'From: {sender}', f'To: {receiver}', f'Subject: Text to {target}']
    address = 'misdirected' if facts.get('misdirected') is True else source
    sender, receiver = f'{phrase(person or source)} <{address}@sms.invalid>', f'{name} <{target}@sms.invalid>'
    what = 'Media' if kind == 'media_in' else 'Text'
    return [f'From: {sender}', f'To: {receiver}', f'Subject: {what} from {source}']


def thread_lines(entry):
    if entry['memberId'] is None:
        return []
    thread = f'<conversation.{entry["memberId"]}.{entry["advisorId"]}@assent.invalid>'
    return [f'In-Reply-To: {thread}', f'References: {thread}']


def outcome_lines(outcome):
    if outcome is None:
        return []
    reason = [] if outcome['reason'] is None else [f'X-Assent-Outcome-Reason: {plain(outcome["reason"])}']
    return [
        f'X-Assent-Outcome: {plain(outcome["outcome"])}',
        *reason,
        f'X-Assent-Outcome-Time: {plain(outcome["dateTime"])}',
        f'X-Assent-Outcome-Entry: {outcome["number"]}',
    ]


def incomplete_lines(entry):
    parts = facts_in(entry['meta']).get('incomplete')
    if entry['kind'] != 'text_in' or not isinstance(parts, dict):
        return []
    return [f'X-Assent-Incomplete: {plain(parts.get("received"))} of {plain(parts.get("of"))} parts']


def media_count_lines(entry):
    media = facts_in(entry['meta']).get('media')
    return [f'X-Assent-Media: {len(media)}'] if entry['kind'] == 'text_in' and isinstance(media, list) else []


def content_lines(line, digits):
    kind, facts = line.entry['kind'], facts_in(line.entry['meta'])
    if kind == 'consent':
        return attached_lines(digits, {**facts, **facts_in(line.body)}, 'application/json', 'evidence.json', line.body)
    if kind != 'media_in':
        return text_lines(line.body)
    if is_text(facts.get('notFetched')):
        return text_lines('\n'.join(fact_lines('', facts)).encode())
    given = facts.get('contentType')
    parts = re.fullmatch(r'([a-z0-9.+-]{1,60})/([a-z0-9.+-]{1,60})', given if is_text(given) else '')
    media, sub = parts.groups() if parts else ('application', 'octet-stream')
    ending = sub if re.fullmatch(r'[a-z0-9]{1,20}', sub) else 'bin'
    return attached_lines(digits, facts, f'{media}/{sub}', f'media.{ending}', line.body)


def attached_lines(digits, facts, media_type, name, body):
    return [
        f'Content-Type: multipart/mixed; boundary="=_{digits}"',
        '',
        f'--=_{digits}',
        *text_lines('\n'.join(fact_lines('', facts)).encode()),
        f'--=_{digits}',
        f'Content-Type: {media_type}',
        f'Content-Disposition: attachment; filename="{name}"',
        'Content-Transfer-Encoding: base64',
        '',
        *base64_lines(body),
        f'--=_{digits}--',
    ]


def email_date(text):
    try:
        return f'{datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"):%a, %d %b %Y %H:%M:%S} +0000'
    except ValueError:
        return 'Invalid Date'


def gone_at(line):
    outcome = line.outcome or {}
    failed = outcome['dateTime'] if outcome.get('outcome') == 'failed' else None
    return outcome.get('handedOver') or failed or line.entry['dateTime']


def email_bytes(line, manifest):
    entry, digits = line.entry, line.hash.hex()[:32]
    is_new = manifest['format'] != FIRST_FORMAT
    lines = [
        *address_lines(line, manifest['advisor']),
        f'Date: {email_date(gone_at(line) if is_new else entry["dateTime"])}',
        f'Message-ID: <{entry["number"]}.{entry["advisorId"]}.{digits}@assent.invalid>',
        *thread_lines(entry),
        f'X-Assent-Advisor: {entry["advisorId"]}',
        f'X-Assent-Entry: {entry["number"]}',
        f'X-Assent-Leaf: {line.leaf}',
        f'X-Assent-Kind: {entry["kind"]}',
        f'X-Assent-Actor: {plain(entry["actor"])}',
    ]
    if entry['traceId'] is not None:
        lines.append(f'X-Assent-Trace-Id: {plain(entry["traceId"])}')
    if is_new and entry['kind'] == 'text_out':
        lines.append(f'X-Assent-Written: {email_date(entry["dateTime"])}')
    lines += [*outcome_lines(line.outcome), *incomplete_lines(entry), *media_count_lines(entry), 'MIME-Version: 1.0']
    return '\r\n'.join(lines + content_lines(line, digits) + ['']).encode()


def read_zip(data):
    """The files of a ZIP, in the order of its directory."""
    try:
        end = data[-22:]
        if end[:4] != b'PK\x05\x06':
            raise NoZip
        count, at = struct.unpack_from('<H', end, 10)[0], struct.unpack_from('<I', end, 16)[0]
        directory_end = len(data) - 22
        if count == 0xFFFF or at == 0xFFFFFFFF:
            wide = struct.unpack_from('<Q', data, len(data) - 42 + 8)[0]
            directory_end = len(data) - 98
            if wide != directory_end:
                raise NoZip
            count, at = struct.unpack_from('<Q', data, wide + 32)[0], struct.unpack_from('<Q', data, wide + 48)[0]
        files = []
        directory, files_end = at, 0
        for _ in range(count):
            if data[at : at + 4] != b'PK\x01\x02':
                raise NoZip
            flags, method = struct.unpack_from('<2H', data, at + 8)
            size, plain_size = struct.unpack_from('<2I', data, at + 20)
            name_bytes, extra_bytes, comment_bytes = struct.unpack_from('<3H', data, at + 28)
            begin, = struct.unpack_from('<I', data, at + 42)
            name = data[at + 46 : at + 46 + name_bytes].decode('latin-1')
            is_far = begin == 0xFFFFFFFF and extra_bytes == 12
            if (extra_bytes and not is_far) or comment_bytes:
                raise NoZip
            if is_far:
                begin, = struct.unpack_from('<Q', data, at + 46 + name_bytes + 4)
            if begin != files_end or data[begin : begin + 4] != b'PK\x03\x04':
                raise NoZip
            content = begin + 30 + name_bytes
            if data[begin + 30 : content].decode('latin-1') != name or content + size > len(data):
                raise NoZip
            is_plain = flags == 0 and method == 0 and plain_size == size
            same_header = data[begin + 4 : begin + 30] == data[at + 6 : at + 30] + b'\0\0'
            if is_plain and not same_header:
                raise NoZip
            files_end = content + size
            # A compressed one is not as we write it, whatever is in it.
            files.append((name, data[content : content + size] if is_plain else None))
            at += 46 + name_bytes + extra_bytes
        if files_end != directory or at != directory_end:
            raise NoZip
        return files
    except struct.error as error:
        raise NoZip from error


def check_emails(folder, manifest, lines, faulty, findings):
    data = read_file(os.path.join(folder, 'messages.zip'))
    if data is None:
        return
    try:
        files = read_zip(data)
    except NoZip:
        findings.file(ALTERED, 'messages.zip is not a ZIP of this form')
        return
    found = dict(files)
    listed = 'file,sha256,entry,leaf,kind,time\r\n'
    expected = []
    for line in lines:
        entry = line.entry
        if entry['kind'] not in ENDINGS:
            continue
        place = f'{entry["number"]},{line.leaf},{entry["kind"]},{entry["dateTime"]}'
        if line.body is None:
            listed += f',,{place}\r\n'
            continue
        name, data = email_name(line, manifest), email_bytes(line, manifest)
        listed += f'{name},{sha256(data).hex()},{place}\r\n'
        expected.append(name)
        if name not in found:
            findings.entry(INCOMPLETE, f'{line.name}: its e-mail is missing')
        elif found[name] != data:
            findings.entry(ALTERED, f'{line.name}: its e-mail was altered')
    names = [name for name, _ in files]
    present = set(expected) | {'manifest.csv'}
    for name in names:
        number = re.match(r'\d+', name)
        if name not in present and not (number and int(number[0]) in faulty):
            findings.entry(ALTERED, f'{name} was inserted')
    ours = [name for name in names if name in present]
    if ours != [name for name in [*expected, 'manifest.csv'] if name in found]:
        findings.entry(ALTERED, 'the e-mails are not in order')
    if 'manifest.csv' not in found:
        findings.file(INCOMPLETE, 'messages.zip has no manifest.csv')
    elif not findings.entries and found['manifest.csv'] != listed.encode():
        findings.entry(ALTERED, 'manifest.csv was altered')


# --- Times ---------------------------------------------------------------------------------------------------------


def explanation_in(line):
    """Whose times an entry explains, from which number to which; None if it explains none."""
    entry, facts = line.entry, facts_in(line.entry['meta'])
    if entry['advisorId'] != 0 or entry['kind'] != 'setting' or not entry['actor'].startswith('staff:'):
        return None
    of = facts.get('of')
    if facts.get('what') != 'times explained' or facts.get('via') is not None or not isinstance(of, dict):
        return None
    span = of.get('advisorId'), of.get('from'), of.get('to')
    return span if all(map(is_count, span)) else None


def is_step(line):
    """Whether an entry accepts that the database's clock was set back."""
    entry = line.entry
    is_ours = entry['advisorId'] == 0 and entry['kind'] == 'setting'
    return is_ours and facts_in(entry['meta']).get('what') == 'clock step accepted'


class Times:
    def __init__(self, manifest, checkpoints):
        self.clock_moves = manifest['clockMoves']
        self.explanations, self.steps, self.latest, self.leaf = [], [], {}, -1
        by_size = {}
        for each in checkpoints:
            if each['time'] is not None:
                by_size.setdefault(each['size'], []).append(each['time'])
        self.signed = sorted((size, min(times), max(times)) for size, times in by_size.items())

    def take(self, line):
        of = explanation_in(line)
        if of:
            self.explanations.append((line.leaf, of))
        # One that comes late would begin anew in the midst of what followed it.
        if is_step(line) and line.leaf > max([self.leaf, *(step.leaf for step in self.steps)]):
            self.steps.append(line)

    def is_wrong(self, line):
        self.leaf = line.leaf
        at = milliseconds(line.entry['dateTime'])
        if at is None:
            return False
        steps = [step for step in self.steps if step.leaf < line.leaf and self.is_explained(step)]
        # All of them: each is a comparison that the next entries go on with.
        fits = [self.fits(at, line.leaf, since) for since in {None, max(steps, key=lambda step: step.leaf, default=None)}]
        return not any(fits) and not self.is_explained(line)

    def is_explained(self, line):
        number, book = line.entry['number'], line.entry['advisorId']
        return any(line.leaf < leaf and of[0] == book and of[1] <= number <= of[2] for leaf, of in self.explanations)

    def fits(self, at, leaf, since):
        """Whether the time is right, compared with a step and what came after it; without one, with everything."""
        before = self.latest.get(since, at)
        self.latest[since] = max(at, before)
        is_after = since is None or at >= (milliseconds(since.entry['dateTime']) or 0) - 300_000
        return is_after and at >= before - 60_000 and self.is_between(at, leaf, since.leaf if since else -1)

    def is_between(self, at, leaf, since):
        size_before = 0
        for size, first, last in self.signed:
            if size > leaf:
                return self.clock_moves or at <= first + 60_000
            floors = [last] if last > first else []
            if size - size_before < 5_000:
                floors.append(first)
            if size > since and any(at < floor - 300_000 for floor in floors):
                return False
            size_before = size
        return True


# --- The package ---------------------------------------------------------------------------------------------------


def read_file(path):
    """A regular file's bytes; None if there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, 'rb') as file:
        return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def read_manifest(data):
    """None if it has a different form."""
    try:
        manifest = json.loads(data)
        advisor, files = manifest['advisor'], manifest['files']
        first, last = manifest['firstNumber'], manifest['lastNumber']
        good = (
            manifest['format'] in FORMATS
            and is_count(advisor['id'])
            and is_text(advisor['name'])
            and is_count(manifest['entries'])
            and is_count(manifest['size'])
            and all(re.fullmatch(r'[a-z0-9][a-z0-9.-]{0,99}', name) and is_text(files[name]) for name in files)
            and isinstance(manifest.get('clockMoves', False), bool)
            and ((first is None and last is None) or (is_count(first) and is_count(last) and first <= last))
        )
    except (ValueError, KeyError, TypeError):
        return None
    return manifest if good else None


def earlier_checkpoints(folder, keys, checkpoint, findings):
    proofs, earlier = {}, []
    for line in (read_file(os.path.join(folder, 'consistency.ndjson')) or b'').split(b'\n'):
        try:
            given = json.loads(line)
            if given['to'] == checkpoint['size']:
                proofs[given['from']] = [unbase64(each) for each in given['proof']]
        except (ValueError, KeyError, TypeError):
            continue
    data = read_file(os.path.join(folder, 'earlier-checkpoints')) or b''
    for note in notes_in(data.decode(errors='replace')):
        older = read_checkpoint(note, keys)
        if older is None or older['size'] not in proofs:
            continue
        if is_consistent(older, checkpoint, proofs[older['size']]):
            earlier.append(older)
        else:
            findings.file(ALTERED, f'an earlier checkpoint of {older["size"]} is from a different tree')
    return earlier


def compare_checkpoints(path, keys, checkpoints, findings):
    """Compares the examiner's checkpoints with the package's."""
    try:
        with open(path, 'rb') as file:
            notes = notes_in(file.read().decode(errors='replace'))
    except OSError:
        notes = []
    roots = {each['size']: each['root'] for each in checkpoints}
    signed = [each for each in (read_checkpoint(note, keys) for note in notes) if each]
    agreed = [each for each in signed if roots.get(each['size']) == each['root']]
    parted = [each for each in signed if each['size'] in roots and roots[each['size']] != each['root']]
    for each in parted:
        findings.file(ALTERED, f'the tree of {each["size"]} was signed twice')
    if not agreed and not parted:
        findings.doubts.append('no checkpoint of the examiner leads to the package')
    return parted


def check_entries(data, manifest, checkpoints, findings):
    """Returns the package's own entries that are in order, and the numbers that are not."""
    checkpoint, disposals = checkpoints[0], Disposals(checkpoints)
    times = Times(manifest, checkpoints) if manifest and 'clockMoves' in manifest else None
    advisor = manifest['advisor']['id'] if manifest else None
    expected = (manifest['firstNumber'] or 1) if manifest else None
    last = (manifest['lastNumber'] or 0) if manifest else None
    sound, missing, faulty, unproven = [], set(), set(), 0
    lines = data.split(b'\n')
    for raw in lines[:-1] if lines[-1] == b'' else lines:
        if len(raw) > LINE_BYTES_MAX:
            raise CantTell('a line is longer than any entry')
        try:
            line = Line(raw)
        except (ValueError, KeyError, TypeError):
            line = None
        size, root = checkpoint['size'], checkpoint['root']
        if line is None or included_root(line.hash, line.leaf, size, line.proof) != root:
            findings.entry(ALTERED, f'{line.name if line else "a line"}: it was altered')
            unproven += 1
            continue
        number, book = line.entry['number'], line.entry['advisorId']
        if line.about == 'rule' and book == 0:
            disposals.take_rule(line)
            if times:
                times.take(line)
            continue
        advisor = book if advisor is None else advisor
        if book != advisor:
            findings.entry(ALTERED, f'{line.name}: it is another advisor’s')
            continue
        if line.about == 'rule':
            disposals.take_rule(line)
            continue
        if line.about is None:
            expected = number if expected is None else expected
            if number < expected or (last is not None and number > last):
                findings.entry(ALTERED, f'{line.name}: it was inserted, moved, or appears twice')
                missing.discard(number)
                faulty.add(number)
                continue
            missing.update(range(expected, number))
            expected = number + 1
            if times and times.is_wrong(line):
                findings.entry(ALTERED, f'{line.name}: its time is wrong')
        fault = line.fault()
        if fault:
            findings.entry(ALTERED, f'{line.name}: {fault}')
            faulty.add(number)
        elif line.about is not None:
            disposals.take_disposal(line)
        elif line.body is None and not line.is_without_body() and not disposals.is_due(line):
            findings.entry(INCOMPLETE, f'{line.name}: its body was removed')
            faulty.add(number)
        else:
            sound.append(line)
    if last is not None and expected is not None:
        missing.update(range(expected, last + 1))
    if len(missing) > unproven:
        findings.entry(INCOMPLETE, f'entry {min(missing)}: it was removed')
    return sound, missing | faulty


def check_package(folder, checkpoints_path, keys_path, findings):
    keys = read_keys(keys_path)
    if not keys:
        raise CantTell('there is no key')
    names = ['manifest.json', 'manifest.note', 'checkpoint']
    manifest_data, manifest_note, note = (read_file(os.path.join(folder, name)) for name in names)
    if manifest_data is None and manifest_note is None and note is None:
        raise CantTell('it is not a package')
    opened = open_note(manifest_note.decode(errors='replace'), keys) if manifest_note is not None else None
    checkpoint = read_checkpoint(note.decode(errors='replace'), keys) if note is not None else None
    if (manifest_note is not None or note is not None) and not opened and not checkpoint:
        raise CantTell('no key has signed anything in it')
    for name, data in zip(names, (manifest_data, manifest_note, note)):
        if data is None:
            findings.file(INCOMPLETE, f'{name} is missing')
    if manifest_note is not None and not opened:
        findings.file(ALTERED, 'manifest.note is not signed')
    if note is not None and not checkpoint:
        findings.file(ALTERED, 'checkpoint is not signed')
    manifest = read_manifest(manifest_data) if manifest_data is not None else None
    form = manifest['format'] if manifest else FORMATS[-1]
    if opened and manifest_data is not None and opened[0] != f'{form}\n{sha256(manifest_data).hex()}\n':
        findings.file(ALTERED, 'manifest.json is not the one that was signed')
    if manifest_data is not None and not manifest:
        findings.file(ALTERED, 'manifest.json is not a manifest')
    if manifest and checkpoint and manifest['size'] != checkpoint['size']:
        findings.file(ALTERED, 'checkpoint is not the manifest’s')
    checkpoints = [checkpoint, *earlier_checkpoints(folder, keys, checkpoint, findings)] if checkpoint else []
    parted = compare_checkpoints(checkpoints_path, keys, checkpoints, findings)
    entries = read_file(os.path.join(folder, 'entries.ndjson'))
    if checkpoint and entries is None:
        findings.file(INCOMPLETE, 'entries.ndjson is missing')
    elif checkpoint:
        sound, faulty = check_entries(entries, manifest, checkpoints, findings)
        check_outcomes(sound, faulty, form == FIRST_FORMAT, findings)
        if manifest and 'messages.zip' in manifest['files']:
            check_emails(folder, manifest, sound, faulty, findings)
        for each in parted:
            findings.entry(ALTERED, f'the tree of {each["size"]} was signed twice')
    for name, expected in (manifest['files'] if manifest else {}).items():
        data = read_file(os.path.join(folder, name))
        if data is None:
            findings.file(INCOMPLETE, f'{name} is missing')
        elif sha256(data).hex() != expected:
            findings.file(ALTERED, f'{name} is not the file that was signed')


def check(folder, checkpoints_path, keys_path):
    findings = Findings()
    try:
        check_package(folder, checkpoints_path, keys_path, findings)
    except CantTell as error:
        findings.doubts.append(str(error))
    return findings.verdict()


def main(checkpoints_path, keys_path, *folders):
    codes = []
    for folder in folders:
        code, message = check(folder, checkpoints_path, keys_path)
        print(code, message)
        codes.append(code)
    return max(codes, default=UNKNOWN)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Writes tests/golden/tokenizers: small tokenizers of every kind, strings, and what the libraries make of them.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3
    python tests/golden/make_tokenizer_kinds.py

`pieces.json` holds what strings are made of. NAME/tokenizer.json or NAME/tokenizer.model is a tokenizer that this script
trains. NAME.jsonl has 300 strings with their ids, their ids with special tokens around them (where these differ), and the
decoded text. NAME.digests has one digest for every ten of 5,000 more strings, which both sides draw in the same way.
"""

import base64
import json
import os
import struct

import sentencepiece
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers)

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tokenizers")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUM_SHOWN, NUM_DIGESTED, BLOCK = 300, 5000, 10
MASK = (1 << 64) - 1

WORDS = """the of and to in is that it was for on are as with his they at be this from have or by one had not but what all were
when we there can an your which their said if do will each about how up out them then she many some so these would other into
has more her two like him see time could no make than first been its who now people my made over did down only way find use
may water long little very after words called just where most know speculative decoding Acceptance HTTP camelCase snake_case
don't we're I've he'll she'd it's I'm STOP Ready""".split()
OTHERS = ["naïve", "café", "Ωμέγα", "привет", "мир", "中文字", "日本語", "한국어", "हिन्दी", "עברית", "العربية", "ไทย", "Straße", "İstanbul", "ǅ",
          "e\u0301", "o\u0308\u0301", "a\u0301\u0323", "\u0301", "n\u0303", "ﬁ", "½", "²", "Ⅷ", "٣", "①", "Å", "ſ", "℡", "ㇰ", "が", "ﾊﾞ", "각", "\u1100\u1161\u11a8",
          "😀", "👩‍👩‍👧", "🇩🇪", "👍🏽", "❤️", "𝔘𝔫𝔦", "𐍈", "…", "—", "“x”", "«y»", "·", "。", "，", "！", "￥", "€", "▁", "▁▁a", "Ġ", "\ufffd", "\ufeff"]
BLANKS = [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\r", "\v", "\f", "\u00a0", "\u0085", "\u1680", "\u2003", "\u200b", "\u2028", "\u202f",
          "\u3000"]
CONTROLS = ["\x00", "\x01", "\x1b", "\x7f", "\x80", "\x9f", "\u200d", "\u202e", "\U0010ffff", "\ue000"]
MARKS = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + ["...", "--", "<<", "=>", "()", "[]", "://"]
NUMBERS = ["0", "7", "12", "345", "2026", "31415926", "1,000", "2.5e-3", "0x7fFF"]
CODE = ["def f(x):\n    return x**2\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}", "{'a': [1, 2]}", "https://example.org/a?b=c"]
SPECIAL = ["<s>", "</s>", "<unk>", "<pad>", "<|im_start|>", "<|im_end|>", "<extra_0>", "[MASK]", "ab", "bc", "aab", "word", "<0x41>"]
LIBRARY_SPECIAL = ["<s>", "</s>", "<unk>", "<pad>"]  # text to SentencePiece, tokens to everybody else
RUNS = ["a" * 40, "\n" * 9, " " * 33, "=" * 20, "ha" * 12, "中" * 10]
POOLS = [WORDS, WORDS, WORDS, OTHERS, BLANKS, BLANKS, CONTROLS, MARKS, NUMBERS, CODE, SPECIAL, RUNS]


class Draw:
    """Knuth's MMIX generator; the test has the same one."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 33) % limit


def string(number, without=()):
    draw = Draw(number)
    separator = ["", " ", " ", ""][draw.below(4)]
    count = 1 + draw.below(9)
    parts = []
    for _ in range(count):
        pool = POOLS[draw.below(len(POOLS))]
        part = pool[draw.below(len(pool))]
        parts.append("" if part in without else part)
    return separator.join(parts)


def digest(state, data):
    """FNV-1a of 64 bits."""
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


class Kind:
    """A library's functions, and parts that its strings lack."""

    def __init__(self, encode, whole, decode, without=()):
        self.encode, self.whole, self.decode, self.without = encode, whole, decode, without

    def string(self, number):
        return string(number, self.without)


def write_answers(name, kind):
    with open(os.path.join(HERE, name + ".jsonl"), "w", encoding="ascii") as out:
        for number in range(NUM_SHOWN):
            text = kind.string(number)
            ids, whole = kind.encode(text), kind.whole(text)
            line = {"text": text, "ids": ids, "decoded": kind.decode(ids)}
            if whole != ids:
                line["whole"] = whole
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
    with open(os.path.join(HERE, name + ".digests"), "w", encoding="ascii") as out:
        for begin in range(NUM_SHOWN, NUM_SHOWN + NUM_DIGESTED, BLOCK):
            state = 0xCBF29CE484222325
            for number in range(begin, begin + BLOCK):
                ids = kind.encode(kind.string(number))
                state = digest(state, struct.pack(f"<{len(ids)}i", *ids))
                state = digest(state, kind.decode(ids).encode() + b"\xff")
            out.write(f"{state:016x}\n")


def corpus():
    texts = [string(number) for number in range(10000, 13000)]
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        texts += readme.read().split("\n\n")
    return texts


def save(name, tokenizer, added=()):
    tokenizer.add_tokens([token for token in added if not token.special])
    tokenizer.add_special_tokens([token for token in added if token.special])
    os.makedirs(os.path.join(HERE, name), exist_ok=True)
    path = os.path.join(HERE, name, "tokenizer.json")
    text = json.loads(tokenizer.to_str())
    with open(path, "w", encoding="utf-8") as out:
        json.dump(text, out, ensure_ascii=False, separators=(",", ":"))
    again = Tokenizer.from_file(path)
    write_answers(name, Kind(lambda t: again.encode(t, add_special_tokens=False).ids, lambda t: again.encode(t).ids,
                             lambda ids: again.decode(ids, skip_special_tokens=False)))


def special(text, **options):
    return AddedToken(text, special=True, normalized=False, **options)


def bpe(vocab, unknown=None, alphabet=(), specials=(), **options):
    tokenizer = Tokenizer(models.BPE(unk_token=unknown, **options))
    trainer = trainers.BpeTrainer(vocab_size=vocab, special_tokens=list(specials), initial_alphabet=list(alphabet), show_progress=False,
                                  limit_alphabet=len(alphabet) + 120)
    return tokenizer, trainer


BYTES = pre_tokenizers.ByteLevel.alphabet()
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
O200K = ("[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
QWEN2 = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")


def byte_level_prefix():
    """GPT-2's way with a blank before the text, RoBERTa's post-processor, and options of added tokens."""
    tokenizer, trainer = bpe(700, alphabet=BYTES, specials=["<s>", "</s>"])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    save("byte_level_prefix", tokenizer, [special("[MASK]", lstrip=True), special("<pad>", rstrip=True),
                                          AddedToken("word", single_word=True), AddedToken("ab"), AddedToken("bc", normalized=False), AddedToken("aab")])


def byte_level_o200k():
    """GPT-4o's pattern, NFC, whole pieces first."""
    tokenizer, trainer = bpe(900, alphabet=BYTES, ignore_merges=True)
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(O200K), "isolated"),
                                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.add_special_tokens([special("<s>"), special("<|im_start|>"), special("<|im_end|>")])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<s> $A <|im_end|>", special_tokens=[("<s>", tokenizer.token_to_id("<s>")), ("<|im_end|>", tokenizer.token_to_id("<|im_end|>"))])])
    save("byte_level_o200k", tokenizer, [AddedToken("Ready"), AddedToken("｜x｜")])


def byte_level_gaps():
    """Bytes that the vocabulary lacks, digits one by one."""
    tokenizer, trainer = bpe(420, alphabet=[c for c in BYTES if ord(c) < 0x120])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator([t for t in corpus() if t.isascii()], trainer)
    save("byte_level_gaps", tokenizer, [special("<|im_start|>")])


def llama2():
    """Byte fallback, a mark before every stretch."""
    tokenizer, trainer = bpe(900, unknown="<unk>", specials=["<unk>", "<s>", "</s>"] + BYTE_TOKENS, fuse_unk=True, byte_fallback=True)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer.train_from_iterator(corpus(), trainer)
    text = json.loads(tokenizer.to_str())
    text["pre_tokenizer"] = None
    text["added_tokens"] = [token for token in text["added_tokens"] if not token["content"].startswith("<0x")]
    tokenizer = Tokenizer.from_str(json.dumps(text))
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    save("llama2", tokenizer, [AddedToken("word"), AddedToken("<extra_0>", normalized=False)])


def metaspace():
    """A mark before the text alone, and before the words of it; unknown characters."""
    tokenizer, trainer = bpe(500, unknown="<unk>", specials=["<unk>", "<s>"])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    tokenizer.train_from_iterator(corpus(), trainer)
    save("metaspace", tokenizer)


def gemma():
    """Blanks become marks, nothing is prepended; byte fallback; a split that finds nothing."""
    tokenizer, trainer = bpe(900, unknown="<unk>", specials=["<pad>", "<unk>"] + BYTE_TOKENS, fuse_unk=True, byte_fallback=True)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.train_from_iterator([part + " " for t in corpus() for part in t.split(" ")], trainer)
    text = json.loads(tokenizer.to_str())
    text["added_tokens"] = [token for token in text["added_tokens"] if not token["content"].startswith("<0x")]
    save("gemma", Tokenizer.from_str(json.dumps(text)), [special("<s>"), AddedToken("▁▁", normalized=False), AddedToken("\n\n", normalized=False)])


def pieces(name, normalizer, pre_tokenizer, decoder=None, vocab=400):
    tokenizer, trainer = bpe(vocab, unknown="<unk>", specials=["<unk>"], fuse_unk=True)
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre_tokenizer
    if decoder:
        tokenizer.decoder = decoder
    tokenizer.train_from_iterator(corpus(), trainer)
    save(name, tokenizer)


def steps():
    """Every behaviour of a split and every step that the others lack."""
    pieces("steps_removed", normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip()]),
           pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("isolated"), pre_tokenizers.Digits()]))
    pieces("steps_merged", normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Replace(Regex("[0-9]+"), "#")]),
           pre_tokenizers.Sequence([pre_tokenizers.Split(Regex("\\s+"), "merged_with_previous"), pre_tokenizers.Punctuation("merged_with_next")]),
           decoders.Sequence([decoders.Replace("#", "0"), decoders.Fuse(), decoders.Strip(" ", 2, 0)]))
    pieces("steps_inverted", normalizers.Sequence([normalizers.NFKD(), normalizers.Nmt()]),
           pre_tokenizers.Sequence([pre_tokenizers.Split(Regex("\\w+"), "contiguous", invert=True), pre_tokenizers.Split(Regex("(?=[A-Z])"), "isolated")]),
           decoders.Fuse())
    pieces("steps_whitespace", normalizers.Strip(left=True, right=False),
           pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("contiguous")]))


def unigram():
    """Unigram with byte fallback."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="always")])
    trainer = trainers.UnigramTrainer(vocab_size=500, unk_token="<unk>", special_tokens=["<unk>", "<s>"], show_progress=False)
    tokenizer.train_from_iterator([t for t in corpus() if t.isascii()], trainer)
    text = json.loads(tokenizer.to_str())
    text["model"]["byte_fallback"] = True
    text["model"]["vocab"] += [[token, -20.0] for token in BYTE_TOKENS]  # <s> stands twice: the last one counts
    save("unigram", Tokenizer.from_str(json.dumps(text)))


def forget_folder(path):
    """The library notes where it trained, which is of no use elsewhere."""
    from sentencepiece import sentencepiece_model_pb2
    model = sentencepiece_model_pb2.ModelProto.FromString(open(path, "rb").read())
    model.trainer_spec.ClearField("model_prefix")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def sentencepiece_model(name, **options):
    os.makedirs(os.path.join(HERE, name), exist_ok=True)
    texts = [t.replace("\x00", "").replace("\n", " ") for t in corpus()]
    path = os.path.join(HERE, name, "tokenizer")
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(t for t in texts if t.strip()), model_prefix=path, hard_vocab_limit=False,
                                             minloglevel=2, **options)
    os.remove(path + ".vocab")
    forget_folder(path + ".model")
    return sentencepiece.SentencePieceProcessor(model_file=path + ".model")


def raw_sentencepiece(name, processor):
    """The library writes something of its own for the unknown token: such texts are not compared."""
    write_answers(name, Kind(processor.encode, processor.encode, lambda ids: "" if processor.unk_id() in ids else processor.decode(ids), LIBRARY_SPECIAL))


def t5():
    """SentencePiece's Unigram with its table nmt_nfkc, in its own file and as tokenizer.json."""
    processor = sentencepiece_model("sp_unigram", vocab_size=500, model_type="unigram", user_defined_symbols=["<extra_0>"], pad_id=3)
    raw_sentencepiece("sp_unigram", processor)
    from sentencepiece import sentencepiece_model_pb2
    model = sentencepiece_model_pb2.ModelProto.FromString(open(os.path.join(HERE, "sp_unigram", "tokenizer.model"), "rb").read())
    tokenizer = Tokenizer(models.Unigram([(p.piece, p.score) for p in model.pieces], unk_id=0, byte_fallback=False))
    text = json.loads(tokenizer.to_str())
    table = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    text["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": table},
                                                              {"type": "Strip", "strip_left": False, "strip_right": True},
                                                              {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]}
    tokenizer = Tokenizer.from_str(json.dumps(text))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.add_special_tokens([special("<unk>"), special("<s>"), special("</s>")])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
    save("t5", tokenizer)


def sp_bpe():
    """SentencePiece's BPE with byte fallback and no table, as Llama 2's file is made."""
    raw_sentencepiece("sp_bpe", sentencepiece_model("sp_bpe", vocab_size=900, model_type="bpe", byte_fallback=True,
                                                    normalization_rule_name="identity", remove_extra_whitespaces=False,
                                                    user_defined_symbols=["word", "▁▁▁"], character_coverage=0.98))


def main():
    with open(os.path.join(HERE, "pieces.json"), "w", encoding="ascii") as out:
        json.dump(POOLS, out, separators=(",", ":"))
        out.write("\n")
    for make in (byte_level_prefix, byte_level_o200k, byte_level_gaps, llama2, metaspace, gemma, steps, unigram, t5, sp_bpe):
        make()
    size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(HERE) for name in names)
    print(f"{size} bytes in {HERE}")


if __name__ == "__main__":
    main()

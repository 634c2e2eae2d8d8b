"""Plain, slow rules of every game, written from docs/games and the papers and not from the engine."""

from reference.rules.blackjack import PlainBlackjack
from reference.rules.ewn import PlainEwn
from reference.rules.hex import PlainHex
from reference.rules.kuhnpoker import PlainKuhn
from reference.rules.lines import PlainConnectFour, PlainGobang, PlainTicTacToe
from reference.rules.morpion import PlainMorpion
from reference.rules.nim import PlainNim
from reference.rules.othello import PlainOthello
from reference.rules.pathwayz import PlainPathwayz
from reference.rules.poker import PlainPoker
from reference.rules.rubiks import PlainCube
from reference.rules.sim import PlainSim
from reference.rules.twenty48 import Plain2048
from reference.rules.yavalath import PlainYavalath

PLAIN = {
    "2048": Plain2048,
    "blackjack": PlainBlackjack,
    "connectfour": PlainConnectFour,
    "ewn": PlainEwn,
    "gobang": PlainGobang,
    "hex": PlainHex,
    "kuhnpoker": PlainKuhn,
    "morpion": PlainMorpion,
    "nim": PlainNim,
    "othello": PlainOthello,
    "pathwayz": PlainPathwayz,
    "poker": PlainPoker,
    "rubiks": PlainCube,
    "sim": PlainSim,
    "tictactoe": PlainTicTacToe,
    "yavalath": PlainYavalath,
}

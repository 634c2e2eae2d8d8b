"""Plain, slow rules of every game, written from docs/games and the papers and not from the engine."""

from oracles.rules.blackjack import PlainBlackjack
from oracles.rules.ewn import PlainEwn
from oracles.rules.hex import PlainHex
from oracles.rules.kuhnpoker import PlainKuhn
from oracles.rules.leducpoker import PlainLeduc
from oracles.rules.lines import PlainConnectFour, PlainGobang, PlainTicTacToe
from oracles.rules.morpion import PlainMorpion
from oracles.rules.nim import PlainNim
from oracles.rules.othello import PlainOthello
from oracles.rules.pathwayz import PlainPathwayz
from oracles.rules.poker import PlainPoker
from oracles.rules.rubiks import PlainCube
from oracles.rules.sim import PlainSim
from oracles.rules.twenty48 import Plain2048
from oracles.rules.yavalath import PlainYavalath

PLAIN = {
    "2048": Plain2048,
    "blackjack": PlainBlackjack,
    "connectfour": PlainConnectFour,
    "ewn": PlainEwn,
    "gobang": PlainGobang,
    "hex": PlainHex,
    "kuhnpoker": PlainKuhn,
    "leducpoker": PlainLeduc,
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

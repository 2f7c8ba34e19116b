//! The network itself: tokens in, one vector per text out, on one thread per call.

use std::sync::Arc;

use everwhen_engine::{Error, Result};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use super::config::Pooling;

/// Outputs with a vector per token, by the names that exporters give them.
const OUTPUTS: [&str; 2] = ["last_hidden_state", "token_embeddings"];

/// A loaded model.
pub(super) struct Network {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
}

/// What a model wants to know about each token.
#[derive(Debug, Clone, Copy)]
enum Input {
    /// Which one it is.
    Id,
    /// Whether it is one, or only fills up.
    Mask,
    /// Which of two texts it belongs to; there is only one.
    Kind,
}

impl Network {
    /// From the content of an ONNX file.
    pub(super) fn load(content: Vec<u8>) -> Result<Self> {
        let model =
            ModelOptions::with_all_ops().prepack_weights(true).load(content).map_err(|error| {
                Error::invalid(format!("the model is not an ONNX model we can run: {error}"))
            })?;
        let name = |node: &NodeId| model.node_info(*node).and_then(|info| info.name());
        let inputs = model.input_ids().iter().map(|node| Ok((*node, input(name(node))?)));
        let inputs = inputs.collect::<Result<_>>()?;
        let outputs = model.output_ids();
        let named = outputs.iter().find(|node| name(node).is_some_and(|n| OUTPUTS.contains(&n)));
        let output = *named.or(outputs.first()).ok_or_else(|| {
            Error::invalid("the model has no output; an embedding model has last_hidden_state")
        })?;
        Ok(Self { model, inputs, output })
    }

    /// One vector per text. Texts that are shorter than the longest are filled up.
    pub(super) fn vectors(
        &self,
        texts: &[Vec<u32>],
        padding: u32,
        pooling: Pooling,
    ) -> Result<Vec<Vec<f32>>> {
        let width = texts.iter().map(Vec::len).max().unwrap_or(0);
        let inputs = self.inputs.iter().map(|(node, input)| {
            let cells = texts.iter().flat_map(|text| {
                (0..width).map(move |column| input.cell(text.get(column).copied(), padding))
            });
            let tensor = NdTensor::from_data([texts.len(), width], cells.collect::<Vec<i32>>());
            (*node, ValueOrView::from(tensor))
        });
        let [value] = self
            .model
            .run_n(inputs.collect(), [self.output], Some(alone()))
            .map_err(|error| Error::damaged(format!("the model failed: {error}")))?;
        let output: Tensor<f32> = value
            .try_into()
            .map_err(|_| Error::damaged("the model's output is not made of 32-bit floats"))?;
        pooled(&output, texts, pooling)
    }
}

impl Input {
    fn cell(self, token: Option<u32>, padding: u32) -> i32 {
        match self {
            Self::Id => token.unwrap_or(padding).cast_signed(),
            Self::Mask => i32::from(token.is_some()),
            Self::Kind => 0,
        }
    }
}

fn input(name: Option<&str>) -> Result<Input> {
    match name.unwrap_or_default() {
        "input_ids" => Ok(Input::Id),
        "attention_mask" => Ok(Input::Mask),
        "token_type_ids" => Ok(Input::Kind),
        other => Err(Error::invalid(format!(
            "the model asks for an input \"{other}\"; we know input_ids, attention_mask and \
             token_type_ids"
        ))),
    }
}

/// One thread: texts beside each other use the cores better than one text on all of them.
fn alone() -> RunOptions {
    thread_local! {
        static POOL: Arc<ThreadPool> = Arc::new(ThreadPool::with_num_threads(1));
    }
    RunOptions::default().with_thread_pool(Some(POOL.with(Arc::clone)))
}

/// One vector per text from the output: its tokens pooled, or what the model has pooled itself.
fn pooled(output: &Tensor<f32>, texts: &[Vec<u32>], pooling: Pooling) -> Result<Vec<Vec<f32>>> {
    let values = output.to_vec();
    match *output.shape() {
        [rows, size] if rows == texts.len() => {
            Ok(values.chunks_exact(size).map(<[f32]>::to_vec).collect())
        }
        [rows, width, size] if rows == texts.len() => {
            let rows = values.chunks_exact(width * size).zip(texts);
            Ok(rows.map(|(row, text)| pool(&row[..text.len() * size], size, pooling)).collect())
        }
        ref shape => Err(Error::damaged(format!(
            "the model's output has the shape {shape:?}; one vector per token was expected"
        ))),
    }
}

/// One vector from the vectors of the tokens of one text.
fn pool(tokens: &[f32], size: usize, pooling: Pooling) -> Vec<f32> {
    match pooling {
        Pooling::Cls => tokens[..size].to_vec(),
        Pooling::Mean => {
            let mut sum = vec![0.0; size];
            for token in tokens.chunks_exact(size) {
                sum.iter_mut().zip(token).for_each(|(sum, value)| *sum += value);
            }
            let count = tokens.len() as f32 / size as f32;
            sum.iter_mut().for_each(|value| *value /= count);
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pooling_looks_at_the_tokens_of_the_text_alone() {
        let output = Tensor::from_data(
            &[2, 2, 2],
            vec![1.0, 2.0, 3.0, 6.0, 5.0, 7.0, /* fills up */ 9.0, 9.0],
        );
        let texts = [vec![1, 1], vec![1]];
        let mean = pooled(&output, &texts, Pooling::Mean).unwrap();
        assert_eq!(mean, [vec![2.0, 4.0], vec![5.0, 7.0]]);
        let cls = pooled(&output, &texts, Pooling::Cls).unwrap();
        assert_eq!(cls, [vec![1.0, 2.0], vec![5.0, 7.0]]);
    }

    #[test]
    fn a_model_may_have_pooled_itself_but_must_answer_for_every_text() {
        let output = Tensor::from_data(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]);
        let texts = [vec![1, 1], vec![1]];
        let own = pooled(&output, &texts, Pooling::Cls).unwrap();
        assert_eq!(own, [vec![1.0, 2.0], vec![3.0, 4.0]]);
        assert!(pooled(&output, &texts[..1], Pooling::Cls).is_err());
    }

    #[test]
    fn inputs_that_nobody_knows_are_refused_by_name() {
        let error = input(Some("pixel_values")).unwrap_err();
        assert!(error.message().contains("pixel_values"), "{error}");
    }
}
